# For Nix: nix-build -E '(import <nixpkgs> {}).callPackage ./trainctl.nix {}'
{ lib, stdenvNoCC, fetchurl, installShellFiles }:

stdenvNoCC.mkDerivation rec {
  pname = "trainctl";
  version = "@VERSION@";

  src = fetchurl {
    #each
    @NIX@ = {
      url = "@URL@/@TARBALL@";
      sha256 = "@SHA256@";
    };
    #end
  }.${stdenvNoCC.hostPlatform.system};

  nativeBuildInputs = [ installShellFiles ];
  dontConfigure = true;
  dontBuild = true;
  # The program is static: there is nothing to patch, and its bytes stay those of the release.
  dontPatchELF = true;
  dontStrip = true;

  installPhase = ''
    runHook preInstall
    install -Dm755 -t $out/bin trainctl kubectl_complete-trainctl
    ln -s trainctl $out/bin/kubectl-trainctl
    installManPage man/man1/trainctl.1
    installShellCompletion --bash --name trainctl completions/trainctl.bash
    installShellCompletion --zsh completions/_trainctl
    installShellCompletion --fish completions/trainctl.fish
    mkdir -p $out/share/doc/trainctl
    cp -r licences linked-libraries.txt sbom.cdx.json $out/share/doc/trainctl
    runHook postInstall
  '';

  meta = {
    description = "Submit distributed training jobs to Kubernetes and follow them to a verdict";
    homepage = "@HOMEPAGE@";
    license = lib.licenses.asl20;
    platforms = [
      #each
      "@NIX@"
      #end
    ];
    mainProgram = "trainctl";
  };
}
