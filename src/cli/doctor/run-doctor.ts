import { join, relative } from 'node:path'
import { findOldPeer, type OldPeer, PEER_FLOORS, type Peer } from '../../errors/peer-floor.js'
import { CliError } from '../cli-error.js'
import { databaseOf } from '../db/db-options.js'
import { runDb } from '../db/run-db.js'
import { findInstalled, type Installed, readInstalled } from '../installed.js'
import type { Streams } from '../program-context.js'
import { counted } from '../texts.js'
import { checkApplication } from './check-application.js'
import {
  type Checked,
  type Finding,
  finding,
  type Group,
  notChecked,
  type SourcePlace,
  sentence,
  toJson,
  toText,
} from './finding.js'
import { type DoctorOptions, findImport, type Project, readProject } from './project.js'

/**
 * Examines a project, and prints its problems.
 *
 * @throws CliError with status 1 if there is an error, or a warning with `--strict`; with status 2 if `--entry` is
 * invalid.
 */
export async function runDoctor(options: DoctorOptions, streams: Streams): Promise<void> {
  const project = await readProject(options)
  const groups = await check(project, options)
  if (options.json === true)
    streams.out(`${JSON.stringify(toJson(groups, options.cwd), null, 2)}\n`)
  else streams.out(toText(groups, options.cwd))
  const all = groups.flatMap(({ findings }) => findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  const warnings = all.length - errors
  const summary = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}.`
  if (errors > 0 || (options.strict === true && warnings > 0)) {
    throw new CliError({ status: 1, what: summary })
  }
  streams.note(all.length === 0 ? 'No problems were found.' : summary)
}

async function check(project: Project, options: DoctorOptions): Promise<Group[]> {
  const app = await checkApplication(project, options)
  return [
    { name: 'packages', ...checkPackages(project) },
    { name: 'optional packages', ...checkPeers(project) },
    { name: 'application', ...app },
    { name: 'database', ...(await checkDatabase(project, app.usesTenants, options)) },
  ]
}

/** Examines the database like `blazon db doctor`, if the application stores tenant data in a database. */
async function checkDatabase(
  { sources, cwd, env }: Project,
  usesTenants: boolean | null,
  options: DoctorOptions,
): Promise<Checked> {
  if (findImport(sources, 'postgres') === null)
    return notChecked('the code does not use blazon/postgres')
  if (usesTenants !== true) return notChecked(untenanted(usesTenants))
  const url = [options.url, process.env['DATABASE_URL'], env['DATABASE_URL']].find(Boolean)
  if (url === undefined) {
    return notChecked(
      'DATABASE_URL is not set; `blazon db doctor --embedded <folder>` examines an embedded database',
    )
  }
  try {
    const database = databaseOf({ ...options, cwd, url }, true)
    const findings = await runDb(({ doctor }) => doctor(database), database)
    return { findings: findings.map((each) => ({ ...each, place: null })), notChecked: [] }
  } catch (error) {
    if (error instanceof CliError) return notChecked(sentence(error.message))
    throw error
  }
}

function untenanted(usesTenants: false | null): string {
  return usesTenants === null
    ? 'the application could not be read, so it is unknown whether it has tenants'
    : 'the application has no tenants whose data a database would isolate'
}

const OWN = 'blazon'

/**
 * Finds several installed copies of this package, because one copy does not recognize another copy's classes and
 * decorators.
 */
function checkPackages(project: Project): Checked {
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
    cause: `It is installed ${copies.length} times: ${list.join(', ')}. Decorators, tokens and errors of one copy are not recognized by another.`,
    remedy: `Run \`npm dedupe\`. If copies remain, use versions of ${others.join(', ')} that list blazon in \`peerDependencies\`, with a range that includes your version of blazon.`,
  })
  return { findings: [twice], notChecked: [] }
}

/** A copy of this package, and the package that loads it. */
interface Copy {
  readonly version: string | undefined
  readonly user: string
}

/** Follows the project's dependencies as Node resolves them. The keys of the result are the folders of the copies. */
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

/** The packages that each entry point of this package needs to serve requests: one package from each list. */
const DOORS: Readonly<Record<string, readonly Peer[]>> = {
  jwt: ['jose'],
  otel: ['@opentelemetry/api'],
  postgres: ['pg', '@electric-sql/pglite'],
  redis: ['redis'],
  typeorm: ['typeorm'],
}

/**
 * Finds optional packages that are missing, or older than the oldest supported version. All packages are checked here,
 * because boot reports only the first problem.
 */
function checkPeers(project: Project): Checked {
  const used = new Map<Peer, SourcePlace>()
  const missing = Object.entries(DOORS).flatMap(([door, any]) => {
    const place = findImport(project.sources, door)
    if (place === null) return []
    const installed = any.filter((peer) => findInstalled(peer, project.root) !== null)
    for (const peer of installed) used.set(peer, place)
    return installed.length === 0 ? [missingFor(door, any, place)] : []
  })
  const old = (Object.keys(PEER_FLOORS) as Peer[]).flatMap((peer) => {
    const found = findOldPeer(peer, join(project.root, 'noop.js'))
    return found === null ? [] : toFindings(project, peer, { found, place: used.get(peer) })
  })
  return { findings: [...missing, ...old], notChecked: [] }
}

function missingFor(door: string, any: readonly Peer[], place: SourcePlace): Finding {
  return finding('E_PEER_MISSING', {
    subject: `blazon/${door}`,
    place,
    cause: `It needs ${any.join(' or ')}, which is not installed.`,
    remedy: `npm install ${any[0]}`,
  })
}

/** An outdated package, and the place that imports its entry point; `undefined` if there is no such place. */
interface Old {
  readonly found: OldPeer
  readonly place: SourcePlace | undefined
}

function toFindings({ root, listed }: Project, peer: Peer, { found, place }: Old): Finding[] {
  if (place !== undefined) return [finding('E_PEER_MISSING', { subject: peer, place, ...found })]
  if (!listed.has(peer)) return []
  const old = finding('W_PEER_OLD', {
    subject: peer,
    place: { file: join(root, 'package.json'), line: null },
    cause: `${found.cause} No import was found that loads it through blazon.`,
    remedy: `Before you use it with blazon, run: ${found.remedy}`,
  })
  return [old]
}
