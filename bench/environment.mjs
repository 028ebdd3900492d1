// What a result has to be read with: the machine, who else was on it, and versions.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'

const MODULE_FOLDERS = ['peers/node_modules', 'node_modules']

/** Above this load average, others shared the cores. */
export const QUIET_LOAD = 0.5

/** Describes this machine as it is now; call it before measuring, because measuring is load, too. */
export function readEnvironment() {
  return {
    cpu: cpus()[0].model,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `Linux ${release()}`,
    load: Number(loadavg()[0].toFixed(2)),
  }
}

/** A sentence about an environment. */
export function describeEnvironment({ cpu, cores, memoryGb, system, load }) {
  const shared =
    load > QUIET_LOAD
      ? `; above ${QUIET_LOAD}, others shared the cores, and every time is higher and less certain than it should be`
      : ''
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}. Load average when it began: ${load}${shared}.`
}

/** The full version of a Node binary, and of its V8. */
export function readNode(path) {
  const json = execFileSync(path, ['-p', 'JSON.stringify(process.versions)'])
  const { node, v8 } = JSON.parse(json)
  return { node, v8, major: Number.parseInt(node, 10) }
}

/** Versions of installed packages by name; those of the peers come first. */
export function readVersions(names) {
  return Object.fromEntries(names.map((name) => [name, versionOf(name)]))
}

function versionOf(name) {
  const manifests = MODULE_FOLDERS.map((folder) =>
    join(import.meta.dirname, folder, name, 'package.json'),
  )
  return JSON.parse(readFileSync(manifests.find(existsSync), 'utf8')).version
}
