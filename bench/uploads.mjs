// npm run bench:uploads -- [--megabytes 256] [--rounds 5]: what a form with a large file costs beside busboy alone:
// megabytes in a second of the server's processor. The ratio is the median of those of the rounds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '256' },
    rounds: { type: 'string', default: '5' },
  },
})
const [megabytes, rounds] = [values.megabytes, values.rounds].map(Number)

const CHUNK = Buffer.alloc(1024 * 1024, 'some bytes of a file\r\n')
const HEAD =
  '--bench\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n'

const server = fork(join(import.meta.dirname, 'uploads/server.mjs'))
const [{ port, barePort }] = await once(server, 'message')

async function processorTime() {
  server.send('usage')
  const [{ user, system }] = await once(server, 'message')
  return (user + system) / 1e6
}

async function send(at) {
  const headers = { 'content-type': 'multipart/form-data; boundary=bench' }
  const path = '/uploads'
  const req = request({ host: '127.0.0.1', port: at, method: 'POST', path, headers, agent: false })
  const answered = once(req, 'response')
  req.write(HEAD)
  for (let i = 0; i < megabytes; i++) if (!req.write(CHUNK)) await once(req, 'drain')
  req.end('\r\n--bench--\r\n')
  const [res] = await answered
  const { data } = await json(res)
  const expected = megabytes * CHUNK.length
  if (data?.size !== expected) throw new Error(`The server got ${data?.size} of ${expected} bytes`)
}

/** Megabytes in a second of the server's processor. */
async function speedOf(at) {
  const before = await processorTime()
  await send(at)
  return megabytes / ((await processorTime()) - before)
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const found = []
for (let round = 0; round <= rounds; round++) {
  const ours = await speedOf(port)
  const bare = await speedOf(barePort)
  // The first round compiles the code.
  if (round > 0) found.push({ ours, bare, ratio: ours / bare })
}
const of = (name) => median(found.map((each) => each[name]))
console.log(
  `upload: ${of('ours').toFixed(0)} MB per second of CPU, busboy ${of('bare').toFixed(0)}: ${of('ratio').toFixed(2)}`,
)
server.kill()
