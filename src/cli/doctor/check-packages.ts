import { relative } from 'node:path'
import { type Checked, type Finding, finding, found, notChecked } from './finding.js'
import { findInstalled, type Installed, readInstalled } from './installed.js'
import { recordAt } from './json-text.js'
import type { Project } from './project.js'

/** A copy of this package, and the package that loads it. */
interface Copy {
  readonly installed: Installed
  readonly user: string
}

const OWN = 'blazon'

/** Finds several installed copies of this package: the classes and decorators of one are unknown to the other. */
export function checkPackages(project: Project): Checked {
  if (project.own === null) return notChecked('blazon is not installed in this project')
  const copies = [...findCopies(project).values()]
  if (copies.length < 2) return found()
  const list = copies.map(({ installed, user }) => {
    const folder = relative(project.root, installed.folder) || '.'
    return `${installed.version} in ${folder} (for ${user})`
  })
  const others = copies.slice(1).map(({ user }) => user)
  return found(
    finding('E_PACKAGE_TWICE', {
      subject: OWN,
      place: placeOf(project),
      cause: `It is installed ${copies.length} times: ${list.join(', ')}. Decorators, tokens and errors of one copy mean nothing to another.`,
      remedy: `Run \`npm dedupe\`. If copies remain, use versions of ${others.join(', ')} that have blazon in peerDependencies and accept your version.`,
    }),
  )
}

function placeOf({ manifest }: Project): Finding['place'] {
  if (manifest === null) return null
  return { file: manifest.file, line: manifest.lineOf('dependencies', OWN) }
}

/** Follows the dependencies of the project, as Node finds them. */
function findCopies(project: Project): Map<string, Copy> {
  const copies = new Map<string, Copy>()
  const seen = new Set<string>()
  const note = (installed: Installed, user: string) => {
    if (!copies.has(installed.folder)) copies.set(installed.folder, { installed, user })
  }
  if (project.own !== null) note(project.own, 'the project')
  const queue = [readInstalled(project.root)]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (next === null || seen.has(next.folder)) continue
    seen.add(next.folder)
    const isRoot = seen.size === 1
    for (const name of dependenciesOf(next, isRoot)) {
      const installed = findInstalled(name, next.folder)
      if (name !== OWN) queue.push(installed)
      else if (installed !== null && !isRoot) note(installed, String(next.manifest.value['name']))
    }
  }
  return copies
}

function dependenciesOf({ manifest }: Installed, isRoot: boolean): string[] {
  const fields = ['dependencies', 'optionalDependencies', 'peerDependencies']
  if (isRoot) fields.push('devDependencies')
  return fields.flatMap((field) => Object.keys(recordAt(manifest.value, field)))
}
