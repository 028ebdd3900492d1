import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readBody } from '../../src/http/read-body.js'

/** A request whose body arrives in these pieces. */
function arriving(...pieces: Buffer[]): IncomingMessage {
  const req = new IncomingMessage(new Socket())
  for (const piece of pieces) req.push(piece)
  req.push(null)
  return req
}

it.each([
  ['utf8', 'in one piece', ['{"a":"é"}']],
  ['utf8', 'in several pieces', ['{"a":', '"é', '"}']],
  ['hex', 'in several pieces', ['{"a":', '1}']],
] as const)(
  'a body is read even after a middleware has called setEncoding(%j): %s',
  async (encoding, _, text) => {
    const req = arriving(...text.map((piece) => Buffer.from(piece)))
    req.setEncoding(encoding)
    expect(String(await readBody(req, 100))).toBe(text.join(''))
  },
)
