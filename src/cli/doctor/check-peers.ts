import { join } from 'node:path'
import { findOldPeer, type OldPeer, PEER_FLOORS, type Peer } from '../../errors/peer-floor.js'
import { findVite } from './check-vite.js'
import { type Checked, type Finding, finding, found, type Place } from './finding.js'
import { findInstalled } from './installed.js'
import { listedPackages, type Project } from './project.js'
import { findIn } from './sources.js'

/** The doors that load each optional package. Other packages are loaded for an option or by the command. */
const DOORS: Readonly<Partial<Record<Peer, string>>> = {
  '@electric-sql/pglite': 'postgres',
  'drizzle-orm': 'postgres',
  pg: 'postgres',
  redis: 'redis',
  typeorm: 'typeorm',
  vite: 'vite',
  esbuild: 'vite',
  supertest: 'testing',
  'fast-check': 'testing',
}

/** The packages that a door needs: one of each list. */
const NEEDED: Readonly<Record<string, readonly Peer[]>> = {
  postgres: ['pg', '@electric-sql/pglite'],
  redis: ['redis'],
  typeorm: ['typeorm'],
  vite: ['vite'],
}

/** Compares the optional packages with the oldest versions that work, all at once. */
export function checkPeers(project: Project): Checked {
  const peers = Object.keys(PEER_FLOORS) as Peer[]
  const old = peers.flatMap((peer) => checkAge(project, peer))
  const missing = Object.entries(NEEDED).flatMap(([door, any]) => checkPresence(project, door, any))
  return found(...missing, ...old)
}

function checkAge(project: Project, peer: Peer): Finding[] {
  const old = findOldPeer(peer, join(project.root, 'noop.js'))
  if (old === null) return []
  const use = useOf(project, peer)
  if (use !== null) return [finding('E_PEER_MISSING', { subject: peer, place: use, ...old })]
  return listedPackages(project).has(peer) ? [unused(project, peer, old)] : []
}

function unused({ manifest }: Project, peer: Peer, { cause, remedy }: OldPeer): Finding {
  return finding('W_PEER_OLD', {
    subject: peer,
    place: manifest && { file: manifest.file, line: manifest.lineOf(peer) },
    cause: `${cause} No file was found that uses it through blazon.`,
    remedy: `${remedy}, before blazon is to use it.`,
  })
}

/** Where the code uses a package through this one. `null` if it does not. */
function useOf({ sources, entry, manifest }: Project, peer: Peer): Place | null {
  const door = DOORS[peer]
  if (door !== undefined) return findIn(sources, importOf(door))
  const isRun = peer === 'tsx' && 'path' in entry && /\.[cm]?tsx?$/.test(entry.path)
  return isRun && manifest !== null ? { file: manifest.file, line: manifest.lineOf(peer) } : null
}

/** Finds imports of a door, but not of its types alone. */
export function importOf(door: string): RegExp {
  const from = `(?:\\bfrom|\\bimport|\\bimport\\s*\\(|\\brequire\\s*\\()\\s*['"]blazon/${door}['"]`
  return new RegExp(`^(?!\\s*(?:import|export)\\s+type\\b).*${from}`, 'm')
}

/** Vitest brings Vite, also where the package manager hides the packages of packages. */
function isInstalled(project: Project, peer: Peer): boolean {
  const found = peer === 'vite' ? findVite(project) : findInstalled(peer, project.root)
  return found !== null
}

function checkPresence(project: Project, door: string, any: readonly Peer[]): Finding[] {
  const place = findIn(project.sources, importOf(door))
  if (place === null || any.some((peer) => isInstalled(project, peer))) return []
  const facts = {
    subject: `blazon/${door}`,
    place,
    cause: `It needs ${any.join(' or ')}, which is not installed.`,
    remedy: `npm install ${any[0]}`,
  }
  return [finding('E_PEER_MISSING', facts)]
}
