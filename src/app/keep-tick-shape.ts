import { executionAsyncResource } from 'node:async_hooks'

let kept: object | undefined

/**
 * Keeps one of the objects that `process.nextTick` makes. Node 20 and 22 write them as a literal with computed keys, and V8 stops
 * caching how, for good, once a full collection has found none of them alive: in a server that nobody asks for ten seconds. Every
 * request then took 40,000 instructions more (60,000 on 22), where a small one takes 65,000. Node 24 has no such loss.
 */
export function keepTickShape(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
