#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two shards of `snag explore` as a Slurm job array on two nodes, both of them slurmd on this machine.
#   slurm.sh SNAG PROGRAM STORE SCHEDULES     prints what `snag merge` prints
# Starts slurmctld and two slurmd with a configuration of its own, without munge, and ends them.  Needs to
# be root, as slurmd does.  Exit status 77: it cannot be run here, and the last line says why.
set -eu
snag=$1 program=$2 store=$3 schedules=$4
skip() { echo "skipped: $*"; exit 77; }
for tool in slurmctld slurmd sbatch scontrol; do
	command -v "$tool" >/dev/null || skip "$tool is not installed (package slurm-wlm)"
done
[ "$(id -u)" = 0 ] || skip "slurmd has to run as root"

work=$(mktemp -d) host=$(hostname -s)
mkdir "$work/state" "$work/spool-one" "$work/spool-two"
cat >"$work/slurm.conf" <<CONF
ClusterName=snag
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$((20000 + $$ % 20000))
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((40000 + $$ % 10000)) CPUs=1
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((50000 + $$ % 10000)) CPUs=1
PartitionName=all Nodes=one,two Default=YES State=UP MaxTime=INFINITE
CONF
export SLURM_CONF=$work/slurm.conf
pids=
end() {
	for pid in $pids; do kill "$pid" 2>/dev/null || true; done
	for pid in $pids; do wait "$pid" 2>/dev/null || true; done
	rm -rf "$work"
}
trap end EXIT
slurmctld -D -i >"$work/ctld.out" 2>&1 &
pids="$pids $!"
for node in one two; do
	slurmd -D -N "$node" >"$work/$node.out" 2>&1 &
	pids="$pids $!"
done
i=0
until [ "$(sinfo -h -o %T 2>/dev/null | sort -u)" = idle ]; do
	i=$((i + 1))
	[ $i -lt 60 ] || skip "slurm did not start: $(tail -n 1 "$work"/slurmctld.log "$work"/slurmd-*.log | tr '\n' ' ')"
	sleep 0.5
done

cat >"$work/job.sh" <<JOB
#!/bin/sh
exec "$snag" explore --shard "\$SLURM_ARRAY_TASK_ID/2" --store "$store" --policy pos --schedules $schedules --jobs 1 --keep-going --ignore race "$program"
JOB
sbatch --wait --array=1-2 --nodes=1 --output="$work/job-%a.out" "$work/job.sh" >"$work/sbatch.out" 2>&1 || true
cat "$work"/job-*.out "$work/sbatch.out"
"$snag" merge "$store"
