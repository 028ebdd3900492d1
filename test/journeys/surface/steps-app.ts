import {
  type AppOptions,
  Auth,
  Can,
  Controller,
  Get,
  HttpError,
  type Plugin,
  Post,
  type Request,
} from 'blazon'
import type { PluginSteps } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { z } from 'zod'

/** What ran, in order. `start` empties the list. */
export const seen: string[] = []

@Controller('things')
export class Things {
  @Get()
  list() {
    seen.push('handler')
    return ['a']
  }

  @Auth()
  @Can('write')
  @Post('', { body: z.object({ name: z.string() }) })
  add(req: Request) {
    seen.push('handler')
    return req.body
  }

  @Get('fails')
  fails() {
    throw new HttpError(409, 'taken')
  }

  @Get('slow')
  slow(req: Request) {
    return new Promise((_, reject) => {
      req.signal.addEventListener('abort', () => reject(req.signal.reason))
    })
  }
}

/** A plugin with the same steps for each route. */
export const plugin = (steps: PluginSteps, name = 'own'): Plugin => ({ name, steps: () => steps })

/** Notes that it ran; a caller with any `Authorization` is a user who can do what `X-Can` says. */
const guard = {
  canActivate(req: Request) {
    seen.push('guard')
    req.user = { permissions: [String(req.get('x-can'))] }
    return req.get('authorization') !== undefined
  },
}

export async function start(plugins: Plugin[], options: AppOptions = {}) {
  seen.length = 0
  return TestApp.create({
    controllers: [Things],
    auth: { guard },
    plugins,
    logger: false,
    contract: 'off',
    ...options,
  })
}

export function toss(error: unknown): never {
  throw error
}
