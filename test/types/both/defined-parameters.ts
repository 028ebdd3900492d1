// Parameters of `defineParameter`.
import { Controller, defineParameter, Get, type Request, type RouteParameter } from 'blazon'
import { z } from 'zod'
import type { Equal, Expect } from '../expect.js'

const Ip = defineParameter((req) => req.ip ?? '')
const Org = defineParameter(async (req) => req.get('x-org'))
const Page = defineParameter((req) => req.query.page, {
  in: 'query',
  name: 'page',
  schema: z.coerce.number(),
})

export type Values = [
  Expect<Equal<typeof Ip, RouteParameter<string>>>,
  Expect<Equal<ReturnType<typeof Org.of>, string | undefined>>,
  Expect<Equal<ReturnType<typeof Page.of>, number>>,
]

@Controller()
export class Used {
  @Ip()
  @Page()
  @Get()
  get(req: Request) {
    return Ip.of(req).length + Page.of(req)
  }
}

// @ts-expect-error: cookies are not parameters of the document
defineParameter(() => 1, { in: 'cookie', name: 'a' })

// @ts-expect-error: the decorator is for methods and parameters
@Ip()
export class Wrong {}
