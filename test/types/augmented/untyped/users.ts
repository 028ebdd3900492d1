// An application that wants no types for its users.
import { Body, type Req, type Request } from 'blazon'
import type { Equal, Expect } from '../../expect.js'

declare global {
  namespace Express {
    interface Request {
      // biome-ignore lint/suspicious/noExplicitAny: the declaration that is tested
      user?: any
    }
  }
}

// biome-ignore-start lint/suspicious/noExplicitAny: as above
export type Users = [
  Expect<Equal<Request['user'], any>>,
  Expect<Equal<Req<{ auth: true }>['user'], any>>,
]
// biome-ignore-end lint/suspicious/noExplicitAny: as above

const Note = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
} as const

export class Notes {
  @Body(Note)
  create(req: Request) {
    req.user = null
    return req.user.anything.at.all
  }
}
