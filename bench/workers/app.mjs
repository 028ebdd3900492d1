// An application whose handler works for about two milliseconds, so that the load costs the machine little beside it.
import { App, Controller, Get } from '../../dist/index.js'

const ROUNDS = Number(process.env.ROUNDS)

class WorkController {
  work() {
    let state = 1
    for (let round = 0; round < ROUNDS; round++)
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return { state }
  }
}
const { prototype } = WorkController
Get('work')(prototype, 'work', Object.getOwnPropertyDescriptor(prototype, 'work'))
Controller()(WorkController)

await new App({ controllers: [WorkController] }).listen(Number(process.env.PORT), {
  host: '127.0.0.1',
  signals: true,
})
