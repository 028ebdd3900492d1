import {
  Auth,
  Controller,
  file,
  fileResponse,
  Get,
  JsonLines,
  Post,
  Produces,
  Sse,
  Upload,
} from 'blazon'
import { expect, it } from 'vitest'
import { expectFailure, start } from './listening-app.js'
import { exchange, request } from './raw-connection.js'

const Item = { type: 'object' } as const
let ran = 0

@Auth()
@Controller('kinds')
class KindsController {
  @Post('form')
  @Upload({ picture: file() })
  form() {
    ran++
  }

  @Get('events')
  @Sse(Item)
  async *events() {
    ran++
    yield {}
  }

  @Get('lines')
  @Sse(Item)
  @JsonLines(Item)
  async *lines() {
    ran++
    yield {}
  }

  @Get('table')
  @Produces('application/json', 'text/csv')
  table() {
    ran++
    return []
  }

  @Get('file')
  file() {
    ran++
    return fileResponse('guard-first.test.ts', { root: import.meta.dirname })
  }
}

const form = 'Content-Type: multipart/form-data; boundary=b'

it.each([
  ['a form that is too large', 'POST', '/kinds/form', [form, 'Content-Length: 999999999']],
  ['a form without a boundary', 'POST', '/kinds/form', ['Content-Type: multipart/form-data']],
  ['an event stream', 'GET', '/kinds/events', []],
  ['an event stream whose path has another letter case', 'GET', '/KINDS/Events', []],
  ['a stream in an unacceptable format', 'GET', '/kinds/lines', ['Accept: image/png']],
  ['an unacceptable representation', 'GET', '/kinds/table', ['Accept: image/png']],
  ['an invalid range of a file', 'GET', '/kinds/file', ['Range: bytes=99999-']],
] as const)(
  'a request without credentials results in a 401 response for %s',
  async (_, method, path, lines) => {
    ran = 0
    const guard = { canActivate: () => false }
    const { port } = await start({ controllers: [KindsController], auth: { guard } })
    const [answer] = await exchange(port, request(path, lines, { method }))
    expectFailure(answer, 401, 'UNAUTHORIZED')
    expect(ran).toBe(0)
  },
)
