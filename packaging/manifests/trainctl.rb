# For Homebrew: brew install ./trainctl.rb
class Trainctl < Formula
  desc "Submit distributed training jobs to Kubernetes and follow them to a verdict"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on :linux

  #each
  on_@SYSTEM@ do
    on_@HOMEBREW@ do
      url "@URL@/@TARBALL@"
      sha256 "@SHA256@"
    end
  end
  #end

  def install
    bin.install "trainctl", "kubectl-trainctl", "kubectl_complete-trainctl"
    man1.install "man/man1/trainctl.1"
    bash_completion.install "completions/trainctl.bash" => "trainctl"
    zsh_completion.install "completions/_trainctl"
    fish_completion.install "completions/trainctl.fish"
    doc.install "licences", "linked-libraries.txt", "sbom.cdx.json"
  end

  test do
    assert_match "trainctl #{version}", shell_output("#{bin}/trainctl version")
  end
end
