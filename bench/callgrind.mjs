// Instructions of a server for a request, counted by callgrind of valgrind: for processors that do not say, and for machines that are busy.
//
// The numbers are those of the main thread, which collects the garbage, too, and of the program alone: the kernel's are not in them,
// nor those of the threads that compile. Two counts of one server differ by up to 3 %, whatever else the machine does.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** valgrind executes a program some fifty times slower, and it may get a small part of a core. */
const START_MS = 600_000
const END_MS = 20_000

/** Throws, with the remedy, when this machine cannot count. */
export function checkCallgrind() {
  if (spawnSync('valgrind', ['--version']).error === undefined) return
  throw new Error('valgrind is missing: apt-get install valgrind')
}

/**
 * Counts the instructions of a server for a request. The server is loaded until its code is compiled, and then counted.
 *
 * @param server `node` (a path), `file` and `args`. The program sends `{ port }` to its parent when it listens, and ends when it is
 * disconnected.
 * @param request `method`, `path`, `headers` and `body`.
 * @param options the `status` that is expected, how many requests to `warmUp` with and to `count`, and the number of `connections`.
 */
export async function countInstructions(server, request, options = {}) {
  const { status = 200, warmUp = 20_000, count = 6000, connections = 8 } = options
  const folder = mkdtempSync(join(tmpdir(), 'blazon-count-'))
  const child = startCounted(server, folder)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const { port } = await firstMessageOf(child)
    const load = { port, bytes: bytesOf(request, port), status, connections }
    await send({ ...load, requests: warmUp })
    await run('callgrind_control', ['--instr=on', String(child.pid)])
    await send({ ...load, requests: count })
    // What the end of the process takes is not counted.
    await run('callgrind_control', ['--instr=off', String(child.pid)])
    await end(child, ended)
    return mainThreadOf(folder) / count
  } finally {
    await end(child, ended)
    rmSync(folder, { recursive: true, force: true })
  }
}

function startCounted({ node = process.execPath, file, args = [] }, folder) {
  // Until a program is counted, valgrind executes it some five times faster.
  const options = ['-q', '--tool=callgrind', '--separate-threads=yes', '--instr-atstart=no']
  return spawn(
    'valgrind',
    [...options, `--callgrind-out-file=${folder}/out`, node, file, ...args],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
}

function firstMessageOf(child) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${child.spawnargs.join(' ')} ${why}`))
    const timer = setTimeout(fail, START_MS, 'does not listen')
    child.once('message', (message) => {
      clearTimeout(timer)
      resolve(message)
    })
    child.once('exit', (code) => fail(`ended with ${code} before it listened`))
    child.once('error', reject)
  })
}

async function end(child, ended) {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(timer)
}

/** The file of the first thread is the main thread's. */
function mainThreadOf(folder) {
  const total = /^totals: (\d+)/m.exec(readFileSync(join(folder, 'out-01'), 'utf8'))?.[1]
  if (total === undefined) throw new Error('callgrind wrote no total.')
  return Number(total)
}

function bytesOf({ method, path, headers, body }, port) {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** Sends requests over some connections, one after the other on each, and checks the status of each response. */
function send({ connections, requests, ...load }) {
  let left = requests
  const take = () => left-- > 0
  return Promise.all(Array.from({ length: connections }, () => sendOver(take, load)))
}

function sendOver(take, { port, bytes, status }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let response = Buffer.alloc(0)
    const next = () => {
      if (take()) return socket.write(bytes)
      socket.destroy()
      resolve()
    }
    socket.on('connect', next).on('error', reject)
    socket.on('close', () => reject(new Error('The server has closed a connection.')))
    socket.on('data', (chunk) => {
      response = Buffer.concat([response, chunk])
      const end = endOf(response)
      if (end === -1) return
      const got = Number(response.latin1Slice(9, 12))
      if (got !== status) return reject(new Error(`${got} instead of ${status}:\n${response}`))
      response = response.subarray(end)
      next()
    })
  })
}

/** Where the first response ends; -1 when a part is missing. */
function endOf(bytes) {
  const head = bytes.indexOf('\r\n\r\n') + 4
  if (head === 3) return -1
  const text = bytes.latin1Slice(0, head)
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) {
    const last = bytes.indexOf('\r\n0\r\n\r\n', head - 2)
    return last === -1 ? -1 : last + 7
  }
  const end = head + Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
  return bytes.length < end ? -1 : end
}
