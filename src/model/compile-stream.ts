import type { FactOf } from '../contracts/facts.js'
import type { StreamFormat, StreamModel } from '../contracts/stream.js'
import { toSeconds } from '../http/units.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Many proxies cut a connection that is idle for 60 seconds, some after 30. */
const HEARTBEAT = '15s'

/** Compiles `@Sse` and `@JsonLines`. The checks have refused values that are not durations. */
export function compileStream(facts: FactsByKind): StreamModel | null {
  const [first, ...others] = factsOf(facts, 'stream')
  if (first === undefined) return null
  return Object.freeze({
    item: first.item,
    formats: Object.freeze([first, ...others].map(compileFormat)),
  })
}

function compileFormat({ format, options }: FactOf<'stream'>): StreamFormat {
  const { maxAge, heartbeat = HEARTBEAT } = options ?? {}
  const hasHeartbeat = format === 'sse' && heartbeat !== false
  return Object.freeze({
    kind: format,
    maxAgeMs: maxAge === undefined ? null : toMs(maxAge),
    heartbeatMs: hasHeartbeat ? toMs(heartbeat) : null,
  })
}

function toMs(duration: number | string): number {
  return (toSeconds(duration) ?? 0) * 1000
}
