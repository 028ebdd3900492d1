import {
  All,
  ApiResponseDoc,
  type AppOptions,
  BaseController,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Post,
  Put,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems, bootWarnings } from '../../support.js'

const Note = z.object({ text: z.string() })

@Controller('notes')
class NotesController extends BaseController {
  @Get()
  list() {
    return []
  }

  @Post()
  @Body(Note)
  @ApiResponseDoc({ status: 201, description: 'The note', schema: Note })
  create(req: Request) {
    return req.body
  }

  @Post('nothing')
  nothing() {}

  @Post('ok')
  ok201(_req: Request, res: Response) {
    return this.ok(res, 'Made', 1)
  }

  @ApiResponseDoc({ status: 203, description: 'Its own status' })
  @Post('argument')
  argument(_req: Request, res: Response) {
    return this.ok(res, 'Made', 1, 203)
  }

  @HttpCode(202)
  @Post('stated')
  stated() {
    return 'stated'
  }

  @ApiResponseDoc({ status: 200, description: 'Set by the handler' })
  @Post('set')
  set(_req: Request, res: Response) {
    res.status(200)
    return 'set'
  }

  @Post('moved')
  @Redirect('/notes')
  moved() {}

  @Post('both')
  @Put('both')
  both() {
    return 'both'
  }

  @Delete(':id')
  remove() {
    return 'dropped'
  }

  @All('any')
  any() {
    return 'any'
  }
}

const controllers = [NotesController]
const defaultStatus = { POST: 201, DELETE: 204 }
const running: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(running.splice(0).map((app) => app.close())))

async function start(options: AppOptions = { defaultStatus }) {
  const app = await TestApp.create({ controllers, contract: 'throw', ...options })
  running.push(app)
  const send = async (method: string, path: string) => {
    const body = method === 'POST' && path === '' ? '{"text":"x"}' : null
    const headers = { 'content-type': 'application/json' }
    const response = await app.fetch(`/notes${path}`, {
      method,
      redirect: 'manual',
      ...(body !== null && { body, headers }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : text }
  }
  return { app, send }
}

const data = (text: string | undefined) => JSON.parse(text as string) as object

describe('the defaultStatus option', () => {
  it('sets the status of returned values and of this.ok() for each HTTP method', async () => {
    const { send } = await start()
    const made = await send('POST', '')
    expect([made.status, data(made.body)]).toEqual([
      201,
      { statusCode: 'success', status: 201, message: 'Created', data: { text: 'x' } },
    ])
    expect((await send('POST', '/ok')).status).toBe(201)
    expect((await send('POST', '/both')).status).toBe(201)
    expect((await send('PUT', '/both')).status).toBe(200)
    expect((await send('GET', '')).status).toBe(200)
    expect((await send('HEAD', '')).status).toBe(200)
    expect(await send('DELETE', '/7')).toEqual({ status: 204, body: undefined })
    expect((await send('POST', '/any')).status).toBe(200)
  })

  it('results in an envelope without data if the handler returns nothing', async () => {
    const { send } = await start()
    const { status, body } = await send('POST', '/nothing')
    expect([status, data(body)]).toEqual([
      201,
      { statusCode: 'success', status: 201, message: 'Created' },
    ])
  })

  it('is overridden by @HttpCode, res.status(), the status argument of this.ok() and @Redirect', async () => {
    const { send } = await start()
    expect((await send('POST', '/stated')).status).toBe(202)
    expect((await send('POST', '/set')).status).toBe(200)
    expect((await send('POST', '/argument')).status).toBe(203)
    expect((await send('POST', '/moved')).status).toBe(302)
  })

  it('determines the statuses in the OpenAPI document, and all responses match the document', async () => {
    const { app } = await start()
    const responses = (path: string, method: 'get' | 'post' | 'put' | 'delete') =>
      Object.keys(app.document.paths[path]?.[method]?.responses ?? {}).filter((key) => key < '4')
    expect(responses('/notes', 'post')).toEqual(['201'])
    expect(responses('/notes/nothing', 'post')).toEqual(['201'])
    expect(responses('/notes/stated', 'post')).toEqual(['202'])
    expect(responses('/notes/moved', 'post')).toEqual(['302'])
    expect(responses('/notes/both', 'put')).toEqual(['2XX'])
    expect(responses('/notes/{id}', 'delete')).toEqual(['204'])
    expect(responses('/notes', 'get')).toEqual(['2XX'])
    await app.fuzz({ seed: 2, runs: 5, skip: ['Notes_moved'] })
    expect(app.contractReport()).toEqual([])
  })

  it('is 200 for returned values by default, even after another application has changed it', async () => {
    await start()
    const { app, send } = await start({
      controllers: [NotesController],
      contract: 'off',
    } as AppOptions)
    expect((await send('POST', '/ok')).status).toBe(200)
    expect((await send('POST', '/nothing')).status).toBe(204)
    expect((await send('DELETE', '/7')).status).toBe(200)
    expect(app.document.paths['/notes/ok']?.post?.responses).toHaveProperty('2XX')
  })

  it('applies to @All routes under the key ALL', async () => {
    const { send } = await start({ defaultStatus: { ALL: 203 } })
    expect((await send('POST', '/any')).status).toBe(203)
    expect((await send('POST', '/ok')).status).toBe(200)
  })

  it('causes a warning for a documented 200 response that is never sent', async () => {
    @Controller()
    class Wrong {
      @Post()
      @ApiResponseDoc({ status: 200, description: 'Never' })
      create() {
        return 1
      }
    }
    const warnings = await bootWarnings({ controllers: [Wrong], defaultStatus })
    expect(warnings).toMatchObject([{ code: 'W_STATUS_UNREACHABLE' }])
    expect(warnings[0]?.text).toContain('is sent with 201')
  })

  it.each([
    ['defaultStatus', 201],
    ['defaultStatus', null],
    ['defaultStatus', [201]],
    ['defaultStatus.post', { post: 201 }],
    ['defaultStatus.POST', { POST: 199 }],
    ['defaultStatus.POST', { POST: 300 }],
    ['defaultStatus.POST', { POST: '201' }],
    ['defaultStatus.POST', { POST: 200.5 }],
    ['defaultStatus.TRACE', { TRACE: 200 }],
  ])('causes a boot error for %s if it is %j', async (subject, defaultStatus) => {
    expect(await bootProblems({ defaultStatus } as AppOptions)).toMatchObject([
      { code: 'E_OPTION_INVALID', subject },
    ])
  })

  it('ignores a method with the value undefined', async () => {
    const { send } = await start({ defaultStatus: { POST: undefined } } as unknown as AppOptions)
    expect((await send('POST', '/ok')).status).toBe(200)
  })
})
