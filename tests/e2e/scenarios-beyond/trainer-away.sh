# A user would take a Trainer that does not answer for a fault of the job, or not know whether there is one.
# variants: trainer
# shellcheck shell=bash

read -r controller _ <"$CLUSTER/pids/trainer"
kill -STOP "$controller"
run trainctl submit-pytorch --name ddp --workers=1 -i "$BUSYBOX" --wait --command -- true
kill -CONT "$controller"
expect_exit 8
expect_err '^error: .*admission webhook .*trainer.kubeflow.org is not answering'
expect_err '^hint: the job was not created: submit it again$'
job_gone trainjob/ddp || fail 'there is a job'

await 'Trainer answers again' 60 trainctl submit-pytorch --name again --workers=1 -i "$BUSYBOX" --command -- true
run trainctl wait again --timeout 60s
expect_exit 0
