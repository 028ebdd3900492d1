// An application whose handler works for about two milliseconds, so that the load costs the machine little beside it.
import { pbkdf2Sync } from 'node:crypto'
import { App, Controller, Get } from '../../dist/index.js'

const ROUNDS = Number(process.env.ROUNDS)

class WorkController {
  // OpenSSL's: a loop of the program takes one to four times as long, depending on when V8 has optimized it.
  work() {
    return { key: pbkdf2Sync('lamp', 'salt', ROUNDS, 32, 'sha256').toString('hex') }
  }
}
const { prototype } = WorkController
Get('work')(prototype, 'work', Object.getOwnPropertyDescriptor(prototype, 'work'))
Controller()(WorkController)

await new App({ controllers: [WorkController] }).listen(Number(process.env.PORT), {
  host: '127.0.0.1',
  signals: true,
})
