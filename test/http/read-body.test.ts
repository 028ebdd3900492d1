import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readBody } from '../../src/http/read-body.js'

/** A request whose body comes in these pieces. */
function arriving(...pieces: Buffer[]): IncomingMessage {
  const req = new IncomingMessage(new Socket())
  for (const piece of pieces) req.push(piece)
  req.push(null)
  return req
}

it.each([
  ['utf8', 'of one piece', ['{"a":"é"}']],
  ['utf8', 'of several', ['{"a":', '"é', '"}']],
  ['hex', 'of several', ['{"a":', '1}']],
] as const)(
  'reads a body to which a middleware gave the encoding %s, %s',
  async (encoding, _, text) => {
    const req = arriving(...text.map((piece) => Buffer.from(piece)))
    req.setEncoding(encoding)
    expect(String(await readBody(req, 100))).toBe(text.join(''))
  },
)
