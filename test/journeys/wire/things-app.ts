import {
  type AppOptions,
  Auth,
  Body,
  Cache,
  ConflictError,
  Controller,
  type ErrorOptions,
  type Failure,
  Get,
  type Middleware,
  Post,
  RateLimit,
  type Request,
} from 'blazon'
import { z } from 'zod'

export const bug = new Error('SELECT * FROM secret')

@Controller('things')
export class ThingsController {
  @Get()
  list() {
    return []
  }

  @Post()
  @Body(z.object({ name: z.string(), size: z.int() }))
  create(req: Request) {
    return req.body
  }

  @Get('conflict')
  conflict() {
    throw new ConflictError('It is taken', { code: 'TAKEN', headers: { 'X-By': 'bob' } })
  }

  @Get('bug') bug() {
    throw bug
  }

  @Auth() @Get('mine') mine() {
    return []
  }

  @RateLimit({ limit: 1, window: 60 }) @Get('rare') rare() {
    return []
  }

  @Cache({ ttl: 60 }) @Get('cached') cached() {
    throw new ConflictError('never stored')
  }

  @Get('slow') slow() {
    return new Promise(() => {})
  }
}

export const seen: [Failure, Request | undefined][] = []
export const errors = {
  format: (failure, req) => {
    seen.push([failure, req])
    const { status, code, message, errors: fields = [], requestId } = failure
    return { error: { status, code, message, fields, ...(requestId && { requestId }) } }
  },
  schema: z
    .object({
      error: z.object({
        status: z.int(),
        code: z.string(),
        message: z.string(),
        fields: z.array(z.object({ in: z.string(), path: z.string(), message: z.string() })),
        requestId: z.string().optional(),
      }),
    })
    .meta({ id: 'ApiError' }),
  status: { validation: 422 },
} satisfies ErrorOptions

export const withId: Middleware = (req, _res, next) => {
  req.id = 'r-1'
  next()
}
export const controllers = [ThingsController]
export const base: Partial<AppOptions> = { controllers, middlewares: [withId], errors }
