import { join, relative } from 'node:path'
import { findInstalled, type Installed, readInstalled } from '../installed.js'
import { type Checked, finding, notChecked } from './finding.js'
import type { Project } from './project.js'

const OWN = 'blazon'

/** Finds several installed copies of this package: the classes and decorators of one are unknown to the other. */
export function checkPackages(project: Project): Checked {
  if (project.own === null) return notChecked('blazon is not installed in this project')
  const copies = [...findCopies(project)]
  if (copies.length < 2) return { findings: [], notChecked: [] }
  const list = copies.map(([folder, { version, user }]) => {
    return `${version} in ${relative(project.root, folder) || '.'} (for ${user})`
  })
  const others = copies.slice(1).map(([, { user }]) => user)
  const twice = finding('E_PACKAGE_TWICE', {
    subject: OWN,
    place: { file: join(project.root, 'package.json'), line: null },
    cause: `It is installed ${copies.length} times: ${list.join(', ')}. Decorators, tokens and errors of one copy mean nothing to another.`,
    remedy: `Run \`npm dedupe\`. If copies remain, use versions of ${others.join(', ')} that have blazon in peerDependencies and accept your version.`,
  })
  return { findings: [twice], notChecked: [] }
}

/** A copy of this package, and the package that loads it. */
interface Copy {
  readonly version: string | undefined
  readonly user: string
}

/** Follows the dependencies of the project, as Node finds them. The copies have their folders as keys. */
function findCopies({ root, own }: Project): Map<string, Copy> {
  const copies = new Map<string, Copy>()
  const seen = new Set<string>()
  const note = ({ folder, manifest: { version } }: Installed, user: string) => {
    if (!copies.has(folder)) copies.set(folder, { version, user })
  }
  if (own !== null) note(own, 'the project')
  const queue = [readInstalled(root)]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (next === null || seen.has(next.folder)) continue
    seen.add(next.folder)
    const isRoot = seen.size === 1
    for (const name of dependenciesOf(next, isRoot)) {
      const installed = findInstalled(name, next.folder)
      if (name !== OWN) queue.push(installed)
      else if (installed !== null && !isRoot) note(installed, next.manifest.name ?? next.folder)
    }
  }
  return copies
}

function dependenciesOf({ manifest }: Installed, isRoot: boolean): string[] {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest
  const own = isRoot ? devDependencies : {}
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...own })
}
