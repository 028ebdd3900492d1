import type { Socket } from 'node:net'
import type { EmbeddedEngine } from '../drivers/embedded-engine.js'
import { type Call, frame, type Reply, toPlain, unframe } from './protocol.js'
import type { Turns } from './turns.js'

/** Runs the calls of one process. When its connection ends, its transaction is rolled back. */
export function serveEngine(socket: Socket, engine: EmbeddedEngine, turns: Turns): void {
  let release: (() => void) | undefined
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  const take = async () => {
    const end = await turns.take()
    // The process has ended while it waited.
    if (isOver) end()
    else release = end
  }
  const giveBack = () => {
    release?.()
    release = undefined
  }
  const run = async (call: Call) => {
    if (call.kind === 'take') return void (await take())
    if (call.kind === 'give-back') return giveBack()
    if (release === undefined) throw new Error('The session was not taken.')
    if (call.kind === 'query') return await engine.query(call.text, call.values)
    if (call.kind === 'script') return await engine.script(call.text)
    await engine.reset()
  }
  const send = (outcome: Pick<Reply & { result: undefined }, 'result'> | object) => {
    const { isInTransaction, crash } = engine
    if (!socket.destroyed) {
      socket.write(frame({ ...outcome, isInTransaction, crash: crash?.message }))
    }
  }
  const handle = (call: Call) => {
    last = last
      .then(() => run(call))
      .then((result) => send({ result }))
      .catch((error) => send({ error: toPlain(error) }))
  }
  socket.on('data', unframe<Call>(handle))
  socket.on('error', () => {})
  socket.once('close', () => {
    isOver = true
    last = last.then(async () => {
      if (release === undefined) return
      await engine.reset().catch(() => undefined)
      giveBack()
    })
  })
}
