// Handlers against the schemas of single keys.
import {
  Body,
  Controller,
  Get,
  Headers,
  Params,
  Post,
  Query,
  type Request,
  type Response,
} from 'blazon'
import { z } from 'zod'

const Num = z.coerce.number()
const Plain = { type: 'array', items: { type: 'string' } } as const

@Controller('good')
export class Good {
  @Post(':id/:shop')
  @Params('id', Num)
  @Query('tags', Plain)
  @Query('page', Num)
  @Headers('x-trace', z.string())
  @Body('title', z.string())
  create(
    req: Request<
      { id: number; shop: string },
      { title: string; note?: string },
      { page: number; tags: string[] },
      { 'x-trace': string }
    >,
    _res: Response,
  ) {
    return req.params.id + req.query.page
  }

  @Get(':id')
  @Params('id', Num)
  @Query('page', Num)
  loose(req: Request) {
    return req.params.id
  }

  @Get()
  @Query('page', Num)
  none() {}

  @Get('part')
  @Query('page', Num)
  part({ query }: { query: { page: number } }) {
    return query.page
  }

  @Get('other')
  @Query('page', Num)
  other({ params }: { params: { id: string } }) {
    return params.id
  }
}

@Controller('bad')
export class Bad {
  @Get(':id')
  // @ts-expect-error: the schema makes `id` a number
  @Params('id', Num)
  params(req: Request<{ id: string }>) {
    return req.params.id
  }

  @Get()
  @Query('size', Num)
  // @ts-expect-error: the schema makes `page` a number
  @Query('page', Num)
  query({ query }: { query: { page: string; size: number } }) {
    return query.page
  }

  @Get('headers')
  // @ts-expect-error: the header may be missing
  @Headers('x-trace', z.string().optional())
  // biome-ignore lint/suspicious/noExplicitAny: the other parts do not matter
  headers(req: Request<any, any, any, { 'x-trace': string }>) {
    return req.validated.headers['x-trace']
  }

  @Post()
  // @ts-expect-error: the schema makes `title` a list
  @Body('title', Plain)
  body({ body }: { body: { title: string } }) {
    return body.title
  }

  @Get('schema')
  // @ts-expect-error: a class is not a schema
  @Query('page', Good)
  schema() {}
}
