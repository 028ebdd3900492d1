import type { Socket } from 'node:net'
import type { EmbeddedEngine } from '../drivers/embedded-engine.js'
import { busy } from '../drivers/failures.js'
import type { Lending } from '../drivers/lending.js'
import type { Written } from '../values/write-value.js'
import { type Call, frame, toPlain, unframe } from './protocol.js'

/** The longest time of a timer: the process that waits for its turn limits this itself. */
const FOREVER_MS = 2 ** 31 - 1

/**
 * Runs the calls of one process. When its connection ends, its transaction is rolled back.
 *
 * @param lending Lets one process after the other use the session.
 */
export function serveEngine(socket: Socket, engine: EmbeddedEngine, lending: Lending): void {
  let isTaken = false
  let last: Promise<unknown> = Promise.resolve()
  const giveBack = () => {
    if (isTaken) lending.release()
    isTaken = false
  }
  const run = async ({ method, args }: Call): Promise<unknown> => {
    if (method === 'take') {
      await lending.take(FOREVER_MS, busy)
      isTaken = true
      return undefined
    }
    if (method === 'giveBack') return giveBack()
    if (!isTaken) throw new Error('The session was not taken.')
    const [text = '', values] = args as [string?, (readonly Written[])?]
    if (method === 'query') return await engine.query(text, values)
    return await (method === 'script' ? engine.script(text) : engine.reset())
  }
  const send = (outcome: object) => {
    const { isInTransaction, crash } = engine
    const reply = { ...outcome, isInTransaction, crash: crash?.message }
    if (!socket.destroyed) socket.write(frame(reply))
  }
  const handle = (call: Call) => {
    last = last
      .then(() => run(call))
      .then((result) => send({ result }))
      .catch((error) => send({ error: toPlain(error) }))
  }
  socket.on('data', unframe<Call>(handle)).on('error', () => {})
  socket.once('close', () => {
    // Also a turn that the process has waited for ends here, because this follows its calls.
    last = last.then(async () => {
      if (isTaken) await engine.reset().catch(() => undefined)
      giveBack()
    })
  })
}
