// The process that keeps an embedded database while `blazon dev` starts the application again. Argument: the folder.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../../index.js'
import { LOCK_FILE, noteSocket } from '../drivers/lock-folder.js'
import { openFolder } from '../drivers/open-folder.js'
import type { Opening } from './protocol.js'
import { serveEngine } from './serve-engine.js'
import { Turns } from './turns.js'

async function keep(folder: string): Promise<void> {
  const engine = await openFolder(folder)
  const turns = new Turns()
  const server = createServer((socket) => serveEngine(socket, engine, turns))
  const socketFolder = await mkdtemp(join(tmpdir(), 'blazon-dev-'))
  const path = socketPath(socketFolder)
  await listen(server, path)
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

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path)
  await once(server, 'listening')
}

function report(opening: Opening): void {
  process.send?.({ blazon: opening })
}

function failure(error: unknown): Opening {
  if (error instanceof ConfigError) return { message: error.message, problems: error.problems }
  return { message: error instanceof Error ? error.message : String(error) }
}

keep(process.argv[2] ?? '').catch((error) => {
  process.send?.({ blazon: failure(error) }, () => process.exit(1))
})
