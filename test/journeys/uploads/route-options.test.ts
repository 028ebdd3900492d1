import { Body, Controller, file, Params, Post, Put, type Req, Upload } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { bootProblems } from '../../support.js'

const Id = z.object({ id: z.coerce.number().int() })
const Form = { title: z.string().min(1), scan: file({ types: ['text/plain'] }) }
const input = { params: Id, upload: Form }

@Controller('patients')
class Patients {
  @Post(':id/documents', input)
  @Put(':id/documents', input)
  async add({ params, body }: Req<typeof input>) {
    return { id: params.id, title: body.title, size: (await body.scan.bytes()).length }
  }
}

@Controller('patients')
class Decorated {
  @Post(':id/documents')
  @Put(':id/documents')
  @Params(Id)
  @Upload(Form)
  async add({ params, body }: Req<typeof input>) {
    return { id: params.id, title: body.title, size: (await body.scan.bytes()).length }
  }
}

const start = (controller: typeof Patients | typeof Decorated) =>
  TestApp.create({ controllers: [controller], contract: 'throw', envelope: false, logger: false })

it('`upload` in the options of a route reads the form exactly like @Upload', async () => {
  await using app = await start(Patients)
  for (const method of ['post', 'put'] as const) {
    const send = (id: string) => app.request()[method](`/patients/${id}/documents`)
    const sent = await send('7').field('title', 'X-ray').attach('scan', Buffer.from('abc'), 'a.txt')
    expect([sent.status, sent.body]).toEqual([200, { id: 7, title: 'X-ray', size: 3 }])
    const wrong = await send('7').field('title', '').attach('scan', Buffer.from('abc'), 'a.txt')
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, 'title'])
    expect((await send('x').field('title', 'X')).status).toBe(400)
  }
})

it('the document of `upload` equals the document of @Upload', async () => {
  await using app = await start(Patients)
  await using decorated = await start(Decorated)
  const text = (each: TestApp) =>
    JSON.stringify(each.document.paths).replaceAll('Decorated', 'Patients')
  expect(text(app)).toBe(text(decorated))
  expect(text(app)).toContain('multipart/form-data')
})

it('a form that is described twice or together with a body causes a boot error', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a handler that fits every form
  type Any = any
  @Controller('wrong')
  class Wrong {
    @Post('a', { upload: Form }) @Upload({ other: file() }) twice(_req: Any) {}
    @Post('b', { upload: Form, body: Id }) both(_req: Any) {}
    @Post('c', { upload: Form }) @Body(Id) mixed(_req: Any) {}
    @Post('d', { upload: {} }) empty(_req: Any) {}
    @Upload(Form) @Post('e') @Upload(Form) repeated(_req: Any) {}
  }
  const problems = await bootProblems({ controllers: [Wrong] })
  expect(problems.map(({ code, subject }) => [code, subject])).toEqual([
    ['E_INPUT_TWICE', 'Wrong.twice'],
    ['E_DECORATOR_CONFLICT', 'Wrong.both'],
    ['E_DECORATOR_CONFLICT', 'Wrong.mixed'],
    ['E_OPTION_INVALID', 'Wrong.empty `upload` in @Post()'],
    ['E_DECORATOR_CONFLICT', 'Wrong.repeated'],
  ])
  const causes = problems.map(({ cause }) => cause)
  expect(causes[0]).toMatch(/(?=.*`upload` in @Post\(\))(?=.*@Upload)/)
  expect(causes[1]).toContain('`upload` in @Post() and `body` in @Post()')
  expect(causes[2]).toContain('`upload` in @Post() and @Body')
})
