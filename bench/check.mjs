// A candidate that answers wrongly is not worth timing.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'

/**
 * Asks a candidate what it will be timed on, and what it must refuse.
 * Throws when an answer is not the expected one.
 *
 * @returns the headers of its answer, comparable with those of the others.
 */
export async function checkAnswers({ name, port }, { request, expected, refused }) {
  const answer = await ask(port, request)
  assert.equal(answer.status, expected.status, `${name}: status`)
  assert.equal(answer.body, expected.body, `${name}: body`)
  // Bare node:http is the floor and checks nothing.
  if (name !== 'node') {
    for (const { because, status, headers, body } of refused) {
      const changed = {
        ...request,
        headers: { ...request.headers, ...headers },
        body: body ?? request.body,
      }
      const { status: actual } = await ask(port, changed)
      assert.equal(actual, status, `${name}: ${because} must be ${status}`)
    }
  }
  return answer.headers
}

/** Every candidate must put the same work on the wire. */
export function checkSameHeaders(headersByName) {
  const [[first, expected], ...others] = Object.entries(headersByName)
  for (const [name, headers] of others) {
    assert.deepEqual(headers, expected, `${name} sends other headers than ${first}`)
  }
}

function ask(port, { method, path, headers, body }) {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined)
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method, path, headers: Object.fromEntries(present) }
    const req = httpRequest(options, async (res) => {
      let text = ''
      for await (const chunk of res.setEncoding('utf8')) text += chunk
      // The date is the only header that may differ; so may the case of names, and their order.
      const { date: _date, ...rest } = res.headers
      resolve({ status: res.statusCode, headers: rest, body: text })
    })
    req.on('error', reject)
    req.end(body)
  })
}
