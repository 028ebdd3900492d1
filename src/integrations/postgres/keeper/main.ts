// The process that keeps an embedded database while `blazon dev` starts the application again. Argument: the folder.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../../index.js'
import { Lending } from '../drivers/lending.js'
import { LOCK_FILE, noteSocket } from '../drivers/lock-folder.js'
import { openFolder } from '../drivers/open-folder.js'
import type { Opening } from './protocol.js'
import { serveEngine } from './serve-engine.js'

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
  // The command may have ended meanwhile.
  if (process.connected !== true) return await end()
  report({ path, marker: join(folder, LOCK_FILE) })
}

/** Only this user may open the folder of the socket. On Windows, sockets have names instead. */
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
