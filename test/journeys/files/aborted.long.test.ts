import { once } from 'node:events'
import { expect, it } from 'vitest'
import { hasNoProc } from '../../platform.js'
import { rounds } from '../../rounds.js'
import { folder, open, openBelow, serve } from './files-app.js'

it.skipIf(hasNoProc)(
  'the handle of a file is closed for each of thousands of disconnected clients',
  async () => {
    const root = folder({ 'big.bin': Buffer.alloc(4 << 20) })
    const served = await serve()
    for (let round = 0; round < rounds(100, 20); round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const socket = await open(served, '/files/big.bin')
          // Some leave before the head, some in the middle of the body.
          if (at % 4 === 0) await once(socket, 'readable')
          socket.resetAndDestroy()
        }),
      )
    }
    await expect.poll(() => openBelow(root)).toEqual([])
    expect(served.errors).toEqual([])
  },
)
