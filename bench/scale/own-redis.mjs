// A Redis of the benchmark's own, and what it has done.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'

const START_MS = 10_000

/** Starts a Redis that keeps nothing on disk; `stop` ends it. */
export async function startRedis() {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'blazon-redis-'))
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const child = spawn('redis-server', [...own, '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  child.on('error', () => {})
  process.on('exit', () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await untilItListens(child, port)
  const url = `redis://127.0.0.1:${port}`
  const client = await createClient({ url }).connect()
  return {
    url,
    port,
    pid: child.pid,
    version: /^redis_version:(.*)$/m.exec(await client.info('server'))[1].trim(),
    client,
    async stop() {
      client.destroy()
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function untilItListens(child, port) {
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    if (child.pid === undefined) throw new Error('redis-server is missing: apt-get install redis')
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('redis-server does not listen.')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
