// A candidate that answers wrongly is not worth timing.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'

/**
 * Asks a candidate what it will be timed on, and what it must refuse or accept besides.
 * Throws when an answer is not the expected one.
 *
 * @returns the answer, comparable with those of the others.
 */
export async function checkAnswers({ name, candidate, port }, workload) {
  const { request, expected, refused = [], accepted = [] } = workload
  const answer = await ask(port, request)
  checkAnswer(name, answer, expected)
  // What is kept by a cache is the first answer; what is measured are the others.
  const again = await ask(port, request)
  checkAnswer(name, again, expected)
  // Bare node:http is the floor and checks nothing.
  if (candidate !== 'node') {
    for (const variation of [...refused, ...accepted]) {
      const { status } = await ask(port, varied(request, variation))
      assert.equal(status, variation.status, `${name}: ${variation.because} must be answered so`)
    }
  }
  return again
}

function varied(request, { headers, body }) {
  return { ...request, headers: { ...request.headers, ...headers }, body: body ?? request.body }
}

function checkAnswer(name, answer, { status, body, errors }) {
  assert.equal(answer.status, status, `${name}: status`)
  if (body !== undefined) assert.equal(answer.body, body, `${name}: body`)
  if (errors !== undefined) {
    assert.equal(
      errorsIn(answer.body).length,
      errors,
      `${name} must name all errors: ${answer.body}`,
    )
  }
}

/** The list of what is wrong with a field each, wherever a framework keeps it. */
function errorsIn(body) {
  const parsed = JSON.parse(body)
  return [parsed.errors, parsed.message, parsed.error?.issues].find(Array.isArray) ?? []
}

/** Headers whose values change with every answer. */
const CHANGING = ['date', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id']

/**
 * Headers of an answer by name, in lower case.
 * The values of those that change with every answer are left out.
 */
function comparable(headers) {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    CHANGING.includes(name) ? '…' : value,
  ])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Puts an answer of the floor beside Blazon's: they must be the same bytes, but for what changes with every answer. */
export function checkFloor(floor, blazon, workload) {
  assert.equal(floor.body, blazon.body, `${workload}: the floor sends another body than Blazon`)
  const [expected, actual] = [comparable(blazon.headers), comparable(floor.headers)]
  assert.deepEqual(actual, expected, `${workload}: the floor sends other headers than Blazon`)
}

/**
 * What a candidate's headers have more, less, or otherwise than Blazon's.
 *
 * @returns a list such as `['− vary', '+ x-powered-by: Hono', 'vary: Accept']`, empty when they are the same.
 */
export function differingHeaders(headers, blazonHeaders) {
  const [ours, theirs] = [comparable(blazonHeaders), comparable(headers)]
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  return [...names].sort().flatMap((name) => {
    if (ours[name] === theirs[name]) return []
    if (theirs[name] === undefined) return [`− ${name}`]
    return ours[name] === undefined ? [`+ ${name}`] : [`${name}: ${theirs[name]}`]
  })
}

function ask(port, { method, path, headers, body }) {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path, headers: Object.fromEntries(present) }
    const req = httpRequest(options, async (res) => {
      let text = ''
      for await (const chunk of res.setEncoding('utf8')) text += chunk
      resolve({ status: res.statusCode, headers: res.headers, body: text })
    })
    req.on('error', reject)
    req.end(body)
  })
}
