import {
  ApiResponseDoc,
  BaseController,
  Cache,
  Controller,
  type EnvelopeFormat,
  Get,
  Header,
  HttpCode,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { z } from 'zod'

export const Note = z.object({ title: z.string() }).meta({ id: 'Note' })
export const Dated = z.object({ at: z.date() })

/** An envelope of the application, with everything that it receives. */
export const own: EnvelopeFormat = {
  success: (data, { status, message, req }) => ({ ok: true, status, message, at: req.path, data }),
  schema: (data) => ({
    type: 'object',
    properties: {
      ok: { type: 'boolean', enum: [true] },
      status: { type: 'integer' },
      message: { type: 'string' },
      at: { type: 'string' },
      data,
    },
    required: ['ok', 'status', 'message', 'at'],
    additionalProperties: false,
  }),
}

/** How often the handler of the cached route ran. */
export const calls = { made: 0 }

@Controller('notes')
export class NotesController extends BaseController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: Note })
  returned() {
    return { title: 'a' }
  }

  @Get('ok')
  @ApiResponseDoc({ status: 200, schema: Note })
  sent(_req: Request, res: Response) {
    return this.ok(res, 'Found', { title: 'b' })
  }

  @Post('ok')
  @HttpCode(201)
  created(_req: Request, res: Response) {
    return this.ok(res, 'Created', { title: 'c' })
  }

  @Get('ok-without-data')
  nothingToTell(_req: Request, res: Response) {
    return this.ok(res, 'Done')
  }

  @Post()
  @HttpCode(202)
  accepted() {
    return { title: 'd' }
  }

  @Get('nothing') nothing() {}

  @Get('null') null() {
    return null
  }

  @Post('nothing') @HttpCode(202) laterNothing() {}

  @Get('dated')
  @ApiResponseDoc({ status: 200, schema: Dated })
  dated() {
    return { at: new Date(0) }
  }

  @Get('cached')
  @Cache({ ttl: 60 })
  @ApiResponseDoc({ status: 200, schema: z.object({ n: z.int() }) })
  cached() {
    return { n: ++calls.made }
  }

  @Get('moved') @Redirect('/notes', 308) moved() {}

  @Get('raw')
  @ApiResponseDoc({ status: 200, schema: Note, raw: true })
  raw(_req: Request, res: Response) {
    return this.ok(res, 'The message is not sent', { title: 'raw' })
  }

  @Get('raw-created')
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, schema: Note, raw: true })
  rawCreated(_req: Request, res: Response) {
    return this.ok(res, 'Created', { title: 'raw' })
  }

  @Get('conflict')
  @ApiResponseDoc({ status: 409, schema: z.object({ wanted: z.string() }) })
  conflict(_req: Request, res: Response) {
    res.status(409)
    return { wanted: 'a' }
  }

  @Get('problem-type')
  @Header('Content-Type', 'application/hal+json')
  @ApiResponseDoc({ status: 200, schema: Note })
  hal() {
    return { title: 'hal' }
  }
}
