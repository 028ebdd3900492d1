import { executionAsyncResource } from 'node:async_hooks'

let kept: object | undefined

/**
 * Keeps one of the objects that `process.nextTick` creates alive. Node 20 and 22 create them as a literal with computed
 * keys. If none is alive during a full garbage collection, which happens after about ten seconds without requests, V8
 * stops caching how to create them for the rest of the process. Every request then took 40,000 instructions more
 * (60,000 on Node 22), while a small request takes 65,000. Node 24 does not have this problem.
 */
export function keepTickShape(): void {
  if (kept !== undefined) return
  process.nextTick(() => {
    kept = executionAsyncResource()
  })
}
