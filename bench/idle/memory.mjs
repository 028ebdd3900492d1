// Loaded before a server (`--import`): answers the message `memory` with the memory that is left after garbage is collected.
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const PAUSE_MS = 100

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')

process.on('message', async (message) => {
  if (message !== 'memory') return
  for (let i = 0; i < 2; i++) {
    gc()
    // What a collection releases is finalized in a later turn.
    await sleep(PAUSE_MS)
  }
  const { rss, heapUsed } = process.memoryUsage()
  process.send({ rss, heapUsed })
})
