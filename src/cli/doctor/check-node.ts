import { type Checked, type Finding, finding, joined } from './finding.js'
import { type JsonText, recordAt } from './json-text.js'
import type { Project } from './project.js'
import { isInRange } from './version-range.js'

/** Compares the Node that runs, and those that `engines` allows, with what the package needs. */
export function checkNode({ manifest, own }: Project): Checked {
  const needed = own === null ? undefined : engineOf(own.manifest)
  return joined([
    ...(own === null ? [] : [checkRunning(own.manifest, 'blazon')]),
    ...(manifest === null ? [] : [checkRunning(manifest, 'The project')]),
    ...(manifest === null || needed === undefined ? [] : [checkEngines(manifest, needed)]),
  ])
}

function engineOf(manifest: JsonText): string | undefined {
  const range = recordAt(manifest.value, 'engines')['node']
  return typeof range === 'string' ? range : undefined
}

function placeOf(manifest: JsonText): Finding['place'] {
  return { file: manifest.file, line: manifest.lineOf('engines', 'node') }
}

function checkRunning(manifest: JsonText, who: string): Checked {
  const range = engineOf(manifest)
  if (range === undefined) return joined([])
  const isFine = isInRange(process.versions.node, range)
  if (isFine === null) {
    return { findings: [], notChecked: [`engines.node of ${manifest.file} is no range: ${range}`] }
  }
  if (isFine) return joined([])
  const facts = {
    subject: `Node ${process.versions.node}`,
    place: placeOf(manifest),
    cause: `${who} needs ${range}.`,
    remedy: 'Install a Node in that range, or change the range if it is wrong.',
  }
  return { findings: [finding('E_NODE_VERSION', facts)], notChecked: [] }
}

/** The last versions of the lines of Node, and those before a version that may be needed. */
function versionsBefore(needed: string): string[] {
  const [major = 0, minor = 0] = (/\d+(?:\.\d+)?/.exec(needed)?.[0] ?? '').split('.').map(Number)
  const lines = Array.from({ length: major }, (_, line) => `${line}.99.0`)
  return minor > 0 ? [...lines, `${major}.0.0`, `${major}.${minor - 1}.99`] : lines
}

/** Finds `engines` that let a package manager install the project on a Node that is too old. */
function checkEngines(manifest: JsonText, needed: string): Checked {
  const range = engineOf(manifest)
  if (range === undefined) return joined([])
  const old = versionsBefore(needed).filter((version) => isInRange(version, range) === true)
  if (old.length === 0) return joined([])
  const facts = {
    subject: 'engines.node',
    place: placeOf(manifest),
    cause: `${range} allows versions of Node on which blazon does not run: it needs ${needed}.`,
    remedy: `Write "node": "${needed}".`,
  }
  return { findings: [finding('W_NODE_ENGINES', facts)], notChecked: [] }
}
