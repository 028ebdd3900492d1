import {
  All,
  ApiBody,
  ApiHidden,
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  Auth,
  BaseController,
  Controller,
  Get,
  Head,
  Header,
  HttpCode,
  Options,
  Post,
  Redirect,
  type Request,
  type Response,
} from 'blazon'
import { z } from 'zod'
import { Stored, Upload } from './museum-schemas.js'

/** Responses of other kinds: raw, text, empty, redirections; uploads; a wildcard; rare methods. */
@ApiTags('Files')
@Controller('files')
export class FilesController extends BaseController {
  @Get('texts/*path')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Read a text', deprecated: true })
  @ApiResponseDoc({
    status: 200,
    description: 'The text',
    schema: z.string(),
    raw: true,
    contentType: 'text/plain',
  })
  read(req: Request, res: Response) {
    return res.type('text/plain').send(`The text of ${[req.params.path].flat().join('/')}`)
  }

  @Get('raw')
  @ApiResponseDoc({
    status: 200,
    description: 'Without envelope',
    schema: z.object({ isRaw: z.literal(true), version: z.literal(2) }),
    raw: true,
  })
  raw(_req: Request, res: Response) {
    return res.json({ isRaw: true, version: 2 })
  }

  @Get('legacy')
  @Redirect('/files/raw', 308)
  elsewhere() {}

  @Head('raw')
  @ApiResponseDoc({ status: 204, description: 'It is there' })
  isThere(_req: Request, res: Response) {
    return res.status(204).end()
  }

  @Options('raw')
  @ApiResponseDoc({ status: 204, description: 'What may be done' })
  options(_req: Request, res: Response) {
    return res.set('Allow', 'GET, HEAD, OPTIONS').status(204).end()
  }

  @All('echo')
  echo(req: Request) {
    return { method: req.method }
  }

  @Post('images')
  @Auth()
  @HttpCode(202)
  @ApiBody({ schema: Upload, description: 'A picture, and what it shows' })
  @ApiResponseDoc({ status: 202, description: 'What was taken in', schema: Stored })
  upload(req: Request) {
    const files = req.files as Express.Multer.File[]
    const image = files.find(({ fieldname }) => fieldname === 'image')
    const scans = files.filter(({ fieldname }) => fieldname === 'scans')
    return { caption: req.body.caption, bytes: image?.size ?? 0, scans: scans.length }
  }

  @Get('secret')
  @ApiHidden()
  secret() {
    return 'Not in the document'
  }
}
