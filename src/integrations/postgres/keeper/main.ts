// The process that runs the embedded database while `blazon dev` restarts the application. Argument: the folder.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../../index.js'
import { busy } from '../drivers/failures.js'
import { Lending } from '../drivers/lending.js'
import { LOCK_FILE, noteSocket, openFolder } from '../drivers/open-folder.js'
import type { EmbeddedEngine } from '../drivers/pglite-package.js'
import type { Written } from '../values/write-values.js'
import { type Call, frame, type Opening, toPlain, unframe } from './protocol.js'

async function keep(folder: string): Promise<void> {
  const engine = await openFolder(folder)
  const lending = new Lending(1)
  const server = createServer((socket) => serveEngine(socket, engine, lending))
  const socketFolder = await mkdtemp(join(tmpdir(), 'blazon-dev-'))
  const path = socketPath(socketFolder)
  await once(server.listen(path), 'listening')
  await noteSocket(folder, path)
  const end = async () => {
    server.close()
    await rm(socketFolder, { recursive: true, force: true })
    await engine.close()
    process.exit(0)
  }
  process.once('disconnect', () => void end())
  // `blazon dev` may have ended in the meantime.
  if (process.connected !== true) return await end()
  report({ path, marker: join(folder, LOCK_FILE) })
}

/**
 * Returns the path of the socket. Only the current user can open the socket's folder. On Windows, sockets have names
 * instead of paths.
 */
function socketPath(folder: string): string {
  if (process.platform !== 'win32') return join(folder, 'database')
  return `\\\\.\\pipe\\blazon-dev-${process.pid}-${Math.random()}`
}

function report(opening: Opening, done = () => {}): void {
  process.send?.({ blazon: opening }, done)
}

keep(process.argv[2] ?? '').catch((error: Error) => {
  const problems = error instanceof ConfigError ? { problems: error.problems } : {}
  report({ message: error.message, ...problems }, () => process.exit(1))
})

/** The maximum duration of a timer, in milliseconds. A process waits for the session practically without a limit. */
const FOREVER_MS = 2 ** 31 - 1

/**
 * Runs the calls from one process. When its connection ends, its transaction is rolled back.
 *
 * @param lending Assigns the session to one process after the other.
 */
function serveEngine(socket: Socket, engine: EmbeddedEngine, lending: Lending): void {
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
    if (!isTaken) throw new Error('No session was checked out.')
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
    // The cleanup runs after the calls of the process, so it also ends a checkout for which the process was still
    // waiting.
    last = last.then(async () => {
      if (isTaken) await engine.reset().catch(() => undefined)
      giveBack()
    })
  })
}
