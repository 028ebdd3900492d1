import { Body, Controller, defineControllers, Get, Post, type Request } from 'blazon'
import { z } from 'zod'
import { type ListeningApp, start } from './listening-app.js'

export const LIMIT = 1000

/** The calls of handlers in the running test. */
export let calls = 0

@Controller()
class TextsController {
  @Post('texts')
  @Body(z.object({ text: z.string() }))
  create(req: Request) {
    calls++
    return req.body.text.length
  }

  @Post('optional')
  @Body(z.object({}).optional())
  optional(req: Request) {
    calls++
    return { isAbsent: req.body === undefined }
  }

  @Post('free')
  free(req: Request) {
    return { isAbsent: req.body === undefined }
  }

  @Get('texts')
  list() {
    return []
  }
}

export const controllers = defineControllers(TextsController)

/** Starts the application; it is closed after the test. */
export function startTexts(): Promise<ListeningApp> {
  calls = 0
  return start({ controllers, limits: { body: LIMIT } })
}

/** JSON of exactly this number of bytes. */
export function json(bytes: number): string {
  return JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) })
}

export function chunked(body: string, size = 300): string {
  const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  return `${coded.join('')}0\r\n\r\n`
}

export const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
