import { Readable } from 'node:stream'
import {
  Auth,
  Body,
  Cache,
  Controller,
  Get,
  HttpCode,
  type NextFunction,
  Post,
  RateLimit,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { z } from 'zod'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Routes for every outcome of a request, and for every kind of late response. */
@Controller()
export class ResetController {
  @Get('ok') ok() {
    return { text: 'ok' }
  }

  @Get('later/:ms') async later({ params }: Request) {
    await wait(Number(params.ms))
    return { ms: params.ms }
  }

  @Get('callback/:ms') callback({ params }: Request, res: Response) {
    setTimeout(() => res.json({ ms: params.ms }), Number(params.ms))
  }

  @Get('stream') stream(_req: Request, res: Response) {
    Readable.from(pieces()).pipe(res)
  }

  /** Dangerous for Node: a body with a known length, whose end is written alone. */
  @Get('sized/:ms') async sized({ params }: Request, res: Response) {
    res.set('Content-Length', '4').flushHeaders()
    res.write('half')
    await wait(Number(params.ms))
    res.end()
    return res
  }

  @Get('headed/:ms') async headed({ params }: Request, res: Response) {
    res.status(200).set('Content-Length', '0').flushHeaders()
    if (params.ms !== '0') await wait(Number(params.ms))
    res.end()
    return res
  }

  @Get('file') file(_req: Request, res: Response) {
    res.sendFile(import.meta.filename)
  }

  @Get('half') half(_req: Request, res: Response) {
    res.write('half of an ans')
    throw new Error('wrong')
  }

  @Get('never') never() {
    return new Promise(() => {})
  }

  @Get('signal') signal(req: Request) {
    return new Promise((_, reject) => {
      req.signal.addEventListener('abort', () => reject(new Error('gone')))
    })
  }

  @Get('throws') throws() {
    throw new Error('wrong')
  }

  @Get('rejects') async rejects() {
    await wait(1)
    throw new Error('wrong')
  }

  @Get('next') next(_req: Request, _res: Response, next: NextFunction) {
    setTimeout(() => next(new Error('wrong')), 1)
  }

  @Get('held') held() {
    return { text: 'held' }
  }

  @Get('held/stream') heldStream(_req: Request, res: Response) {
    Readable.from(pieces()).pipe(res)
  }

  @Cache({ ttl: 0.01 })
  @Get('cached/:key')
  async cached({ params }: Request) {
    await wait(2)
    return params.key
  }

  @Cache({ ttl: 60, key: (req: Request) => req.path })
  @Get('kept/:key')
  kept({ params }: Request) {
    return params.key
  }

  @Auth() @Post('secret') secret() {
    return 'secret'
  }

  @Get('only') only() {
    return 'only'
  }

  @Post('body') @Body(z.object({ a: z.number() })) body({ body }: Request) {
    return body
  }

  @Post('any') any({ body }: Request) {
    return { body }
  }

  @Post('upload') async upload(req: Request) {
    let size = 0
    for await (const chunk of req) size += (chunk as Buffer).length
    return { size }
  }

  @Post('ignored') ignored() {
    return 'nobody reads the body'
  }

  @RateLimit({ limit: 1, window: '1h' })
  @Post('limited')
  limited() {
    return 'limited'
  }

  @HttpCode(204) @Get('nothing') nothing() {}

  @Redirect('/ok') @Get('moved') moved() {}
}

async function* pieces() {
  for (let i = 0; i < 4; i++) {
    await wait(1)
    yield 'a piece of an answer, '
  }
}
