// An application whose handlers share a pool of ten connections, as those of a database do. Each holds one for ten
// milliseconds, so it can answer a thousand requests in a second.

import { setTimeout as sleep } from 'node:timers/promises'
import { App, Controller, Get } from '../../dist/index.js'

const SIZE = 10
const HOLD_MS = 10

const waiting = []
let used = 0

async function query() {
  if (used >= SIZE) await new Promise((resolve) => waiting.push(resolve))
  else used += 1
  await sleep(HOLD_MS)
  const next = waiting.shift()
  if (next === undefined) used -= 1
  else next()
}

class WorkController {
  async list() {
    await query()
    return []
  }
}

// Decorators of the legacy dialect, called by hand: this file is not compiled.
const list = Object.getOwnPropertyDescriptor(WorkController.prototype, 'list')
Get()(WorkController.prototype, 'list', list)
Controller('work')(WorkController)

const { capacity, tenants } = JSON.parse(process.argv[2])
const app = await App.create({
  controllers: [WorkController],
  logger: false,
  security: { helmet: false },
  ...(tenants && { tenant: {} }),
  ...(capacity && { capacity }),
})
const { port } = await app.listen(0, { host: '127.0.0.1', announce: false })
process.send({ port })
process.on('disconnect', () => process.exit())
