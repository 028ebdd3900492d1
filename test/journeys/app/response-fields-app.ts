import {
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Cache,
  Controller,
  Get,
  HttpCode,
  type Req,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

export const User = z.object({ id: z.int(), name: z.string() })
export const ROW = { id: 1, name: 'Ada', passwordHash: 'secret' }
export const ADA = { id: 1, name: 'Ada' }
export const Ok = (schema: object, more: object = {}) =>
  ApiResponseDoc({ status: 200, description: 'A user', schema: schema as z.ZodType, ...more })

let app: TestApp
export const errors: { err: Error }[] = []
const logger = {
  info() {},
  warn() {},
  error: (facts: object) => void errors.push(facts as { err: Error }),
}

/** Starts an application with one controller until the test is finished; `read` and `json` send requests to it. */
export async function start(Class: new () => object, options: AppOptions = {}): Promise<void> {
  const fixed = { controllers: [Class], logger, contract: 'off', swagger: false } as const
  const started = await TestApp.create({ ...fixed, responses: 'strip', ...options })
  app = started
  errors.length = 0
  onTestFinished(() => started.close())
}

export const read = async (path: string) => {
  const response = await app.fetch(path)
  return { status: response.status, text: await response.text() }
}
export const json = async (path: string) => JSON.parse((await read(path)).text)

/** A route whose schema and value a test chooses. */
export function routeOf(schema: object, value: () => unknown, more: object = {}) {
  @Controller('user')
  class UserController {
    @Ok(schema, more) @Get() find() {
      return value()
    }
  }
  return UserController
}

/** Sends the same row in each way that a handler has. */
@Controller('ways')
export class WaysController extends BaseController {
  @Ok(User) @Get('returned') returned() {
    return ROW
  }
  @Ok(User) @Get('promised') async promised() {
    return ROW
  }
  @Ok(User) @Get('ok') okay(_req: Req, res: Response) {
    return this.ok(res, 'Found', ROW)
  }
  @Ok(User) @Get('json') json(_req: Req, res: Response) {
    res.json({ statusCode: 'success', status: 200, message: 'Mine', data: ROW, passwordHash: 1 })
  }
  @Ok(User) @Get('bare-json') bareJson(_req: Req, res: Response) {
    res.json(ROW)
  }
  @Ok(User) @Get('send') send(_req: Req, res: Response) {
    res.send(ROW)
  }
  @Ok(User) @Get('jsonp') jsonp(_req: Req, res: Response) {
    res.jsonp(ROW)
  }
  @Ok(User) @Get('later') later(_req: Req, res: Response) {
    setImmediate(() => res.json(ROW))
  }
  @Ok(User) @Get('etag') etag(_req: Req, res: Response) {
    res.setHeader('ETag', '"1"').json(ROW)
  }
  @Ok(User, { raw: true }) @Get('raw') raw() {
    return ROW
  }
  @Ok(User, { contentType: 'application/hal+json' }) @Get('hal') hal() {
    return ROW
  }
  @Ok(User) @Cache({ ttl: 60 }) @Get('cached') cached() {
    return ROW
  }
  @Ok(z.object({ statusCode: z.string(), status: z.int(), message: z.string(), data: User }))
  @Get('envelope')
  envelope() {
    return ROW
  }
  @ApiResponseDoc({ status: 404, description: 'None', schema: z.object({ reason: z.string() }) })
  @Ok(User)
  @Get('missing')
  missing(_req: Req, res: Response) {
    res.status(404).json({ reason: 'gone', passwordHash: 'secret' })
  }
  @HttpCode(201) @Ok(User) @Get('other-status') other() {
    return ROW
  }
}

export class Account {
  readonly id = 1
  readonly name = 'Ada'
  get passwordHash() {
    return 'secret'
  }
}

/** A union whose alternatives share `kind`. */
const Cat = z.object({ kind: z.literal('cat'), name: z.string(), lives: z.int() })
const Dog = z.object({ kind: z.literal('dog'), name: z.string(), owner: z.string() })
export const Tagged = z.discriminatedUnion('kind', [Cat, Dog])
