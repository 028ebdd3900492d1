// A candidate that answers wrongly is not worth timing.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { CANDIDATES } from './candidates.mjs'

/**
 * Asks a candidate what it will be timed on, and what it must refuse or accept besides.
 * Throws when an answer is not the expected one.
 *
 * @returns the answer, comparable with those of the others.
 */
export async function checkResponses({ name, candidate, port }, workload) {
  const { request, expected, refused = [], accepted = [], sent = [] } = workload
  const answer = await ask(port, request)
  checkResponse(name, answer, expected)
  // What is kept by a cache is the first answer; what is measured are the others.
  const again = await ask(port, request)
  checkResponse(name, again, expected)
  for (const header of sent) assert.ok(again.headers[header], `${name} must send ${header}`)
  if (!CANDIDATES[candidate].isFloor) {
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

function checkResponse(name, answer, { status, body, errors }) {
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

/** Sends a request to a port of loopback; answers with status, headers and body. */
export function ask(port, { method, path, headers, body, agent }) {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      method,
      path,
      agent,
      headers: Object.fromEntries(present),
    }
    const req = httpRequest(options, async (res) => {
      let text = ''
      for await (const chunk of res.setEncoding('utf8')) text += chunk
      resolve({ status: res.statusCode, headers: res.headers, body: text })
    })
    req.on('error', reject)
    req.end(body)
  })
}
