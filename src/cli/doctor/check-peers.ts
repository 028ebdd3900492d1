import { join } from 'node:path'
import { findOldPeer, type OldPeer, PEER_FLOORS, type Peer } from '../../errors/peer-floor.js'
import { findInstalled } from '../installed.js'
import { type Checked, type Finding, finding, type SourcePlace } from './finding.js'
import type { Project } from './project.js'
import { findImport } from './sources.js'

/** The packages that a door of this package needs to serve requests: one of each list. */
const DOORS: Readonly<Record<string, readonly Peer[]>> = {
  jwt: ['jose'],
  otel: ['@opentelemetry/api'],
  postgres: ['pg', '@electric-sql/pglite'],
  redis: ['redis'],
  typeorm: ['typeorm'],
}

/** Compares the optional packages with the oldest versions that work, all at once: boot stops at the first. */
export function checkPeers(project: Project): Checked {
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

/** A package that is old, and the place of the door that loads it; `undefined` if none was found. */
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
    remedy: `${found.remedy}, before blazon is to use it.`,
  })
  return [old]
}
