// A part of a core for a process, so that several on one machine stand for machines of their own.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const V1 = '/sys/fs/cgroup/cpu'
const V2 = '/sys/fs/cgroup'
/** Short, so that nobody waits long for the next part; in microseconds. */
const PERIOD = 10_000
/** So many times more urgent than what else runs: the part that is given is to be had. */
const URGENCY = 20

/** How processes can be bounded here: `by`, and `group(name, share)`; or why they cannot: `reason`. */
export function findBound() {
  const found = existsSync(join(V2, 'cgroup.controllers')) ? version2() : version1()
  if (found.reason !== undefined) return found
  try {
    found.group('blazon-bench-probe', 0.5).remove()
    return found
  } catch (error) {
    return { reason: `groups of processes cannot be made here (${error.code ?? error.message})` }
  }
}

function version2() {
  if (!readFileSync(join(V2, 'cgroup.controllers'), 'utf8').includes('cpu')) {
    return { reason: 'cgroup v2 is here without its controller `cpu`' }
  }
  const group = (name, share) => {
    writeFileSync(join(V2, 'cgroup.subtree_control'), '+cpu')
    const most = share === undefined ? 'max' : Math.round(share * PERIOD)
    return makeGroup(join(V2, name), {
      'cpu.max': `${most} ${PERIOD}`,
      'cpu.weight': 100 * URGENCY,
    })
  }
  return { by: '`cpu.max` of cgroup v2', group }
}

function version1() {
  if (!existsSync(join(V1, 'cpu.cfs_quota_us'))) return { reason: 'there are no cgroups here' }
  const group = (name, share) =>
    makeGroup(join(V1, name), {
      'cpu.cfs_period_us': PERIOD,
      'cpu.cfs_quota_us': share === undefined ? -1 : Math.round(share * PERIOD),
      'cpu.shares': 1024 * URGENCY,
    })
  return { by: '`cpu.cfs_quota_us` of cgroup v1', group }
}

function makeGroup(folder, settings) {
  mkdirSync(folder, { recursive: true })
  for (const [name, value] of Object.entries(settings)) {
    writeFileSync(join(folder, name), String(value))
  }
  const move = (pid, to) => writeFileSync(join(to, 'cgroup.procs'), String(pid))
  return {
    add: (pid) => move(pid, folder),
    /** Periods until now, and those in which the part was used up. */
    read() {
      const stat = readFileSync(join(folder, 'cpu.stat'), 'utf8')
      const of = (name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(stat)[1])
      return { periods: of('nr_periods'), usedUp: of('nr_throttled') }
    },
    /** Lets those go that are in it. */
    remove() {
      const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n')
      for (const pid of pids.filter(Boolean)) tryTo(() => move(pid, dirname(folder)))
      rmdirSync(folder)
    },
  }
}

/** A process may have ended meanwhile. */
function tryTo(act) {
  try {
    act()
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
