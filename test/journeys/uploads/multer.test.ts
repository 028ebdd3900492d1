import { Controller, file, Post, type Req, type Request, Upload, Use } from 'blazon'
import { TestApp } from 'blazon/testing'
import multer from 'multer'
import { expect, it } from 'vitest'
import { png } from './form.js'

const Avatar = { avatar: file({ types: ['image/png'] }) }
const memory = multer({ storage: multer.memoryStorage() })
const single = memory.single('avatar')

@Controller('forms')
class FormsController {
  @Post('own')
  @Upload(Avatar)
  async own({ body }: Req<{ upload: typeof Avatar }>) {
    return { by: 'blazon', size: (await body.avatar.bytes()).length }
  }

  @Post('used')
  @Use(single)
  used({ file: sent, body }: Request & { file?: Express.Multer.File }) {
    return { by: 'multer', size: sent?.size, note: body.note }
  }

  @Post('both')
  @Use(single)
  @Upload(Avatar)
  both() {
    return {}
  }
}

const send = (app: TestApp, path: string) =>
  app.request().post(path).field('note', 'a').attach('avatar', png(70_000), 'me.png')

it('multer in @Use parses the forms of its route, and @Upload parses all other forms', async () => {
  await using app = await TestApp.create({ controllers: [FormsController] })
  const [own, used] = await Promise.all([send(app, '/forms/own'), send(app, '/forms/used')])
  expect(own.body.data).toEqual({ by: 'blazon', size: 70_000 })
  expect(used.body.data).toEqual({ by: 'multer', size: 70_000, note: 'a' })
})

it('multer in middlewares parses forms for paths without @Upload', async () => {
  @Controller('plain')
  class PlainController {
    @Post()
    plain({ file: sent }: Request & { file?: Express.Multer.File }) {
      return { by: 'multer', size: sent?.size }
    }
  }
  await using app = await TestApp.create({
    controllers: [FormsController, PlainController],
    middlewares: [(req, res, next) => (req.path === '/plain' ? single(req, res, next) : next())],
  })
  expect((await send(app, '/plain')).body.data).toEqual({ by: 'multer', size: 70_000 })
  expect((await send(app, '/forms/own')).body.data).toEqual({ by: 'blazon', size: 70_000 })
})

it.each(['@Use of the same route', 'middlewares'])(
  'a form that multer reads before @Upload, in %s, results in a 500 response with a logged reason',
  async (place) => {
    const isGlobal = place === 'middlewares'
    await using app = await TestApp.create({
      controllers: [FormsController],
      middlewares: isGlobal ? [single] : [],
    })
    const { status, body } = await send(app, isGlobal ? '/forms/own' : '/forms/both')
    expect([status, body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    const reason = expect.stringContaining('@Upload reads the form itself')
    expect(app.logs).toMatchObject([{ facts: { err: { message: reason } } }])
    if (!isGlobal) expect((await send(app, '/forms/own')).status).toBe(200)
  },
)
