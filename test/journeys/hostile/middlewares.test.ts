import {
  Controller,
  defineControllers,
  Get,
  type Request,
  type RequestHandler,
  type Response,
} from 'blazon'
import { beforeEach, describe, expect, it } from 'vitest'
import { turns } from '../turns.js'
import { start } from './listening-app.js'
import { exchange, request } from './raw-connection.js'

let calls = 0

@Controller()
class OneController {
  @Get('one')
  get() {
    calls++
    return 'one'
  }
}

/** The statuses of all responses to one request. */
async function ask(...middlewares: RequestHandler[]): Promise<number[]> {
  const { port } = await start({ controllers: defineControllers(OneController), middlewares })
  const answers = await exchange(port, request('/one'))
  await turns()
  return answers.map(({ status }) => status)
}

beforeEach(() => {
  calls = 0
})

/** Refuses the request later, like a middleware that reads from a store. */
function denyLater(_req: Request, res: Response) {
  void turns(10).then(() => res.status(401).json({}))
}

describe('an asynchronous middleware', () => {
  const impatient: Record<string, RequestHandler> = {
    'calls next() twice': (_req, _res, next) => {
      next()
      next()
    },
    'calls next() again later': (_req, _res, next) => {
      next()
      setImmediate(next)
    },
  }

  it.each(Object.entries(impatient))(
    'is not skipped if the middleware before it %s',
    async (_, first) => {
      expect({ statuses: await ask(first, denyLater), calls }).toEqual({
        statuses: [401],
        calls: 0,
      })
    },
  )
})

describe('a middleware that calls next() again or fails after it', () => {
  const restless: Record<string, RequestHandler> = {
    'called twice': (_req, _res, next) => {
      next()
      next()
    },
    'and then throws': (_req, _res, next) => {
      next()
      throw new Error('x')
    },
    'and then rejects': async (_req, _res, next) => {
      next()
      throw new Error('x')
    },
    'and then next(error)': (_req, _res, next) => {
      next()
      next(new Error('x'))
    },
  }

  it.each(Object.entries(restless))(
    'causes the handler to run only once: next() %s',
    async (_, middleware) => {
      expect({ statuses: await ask(middleware), calls }).toEqual({ statuses: [200], calls: 1 })
    },
  )
})

describe('a middleware that fails', () => {
  const values: [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['0', 0],
    ['an empty string', ''],
    ['false', false],
    ["'route'", 'route'],
    ["'router'", 'router'],
  ]

  it.each(values)(
    'does not continue the request if it throws or rejects with %s',
    async (_, value) => {
      const thrower: RequestHandler = () => {
        throw value
      }
      const rejecter: RequestHandler = () => Promise.reject(value)
      for (const middleware of [thrower, rejecter]) {
        expect({ statuses: await ask(middleware), calls }).toEqual({ statuses: [500], calls: 0 })
      }
    },
  )
})
