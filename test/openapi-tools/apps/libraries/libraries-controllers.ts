import {
  ApiResponseDoc,
  BaseController,
  Body,
  Controller,
  Get,
  Post,
  Query,
  type Req,
  type Response,
} from 'blazon'
import {
  ArktypeQuery,
  ArktypeThing,
  JsonQuery,
  JsonThing,
  TypeboxQuery,
  TypeboxThing,
  ValibotQuery,
  ValibotThing,
} from './libraries-schemas.js'

@Controller('valibot')
export class ValibotController extends BaseController {
  private last: unknown = null

  @Post()
  @Body(ValibotThing)
  @ApiResponseDoc({ status: 201, description: 'The thing', schema: ValibotThing })
  create(req: Req<{ body: typeof ValibotThing }>, res: Response) {
    this.last = req.body
    return this.ok(res, 'Created', req.body, 201)
  }

  @Get()
  @Query(ValibotQuery)
  list(req: Req<{ query: typeof ValibotQuery }>) {
    return { query: req.query, last: this.last }
  }
}

@Controller('arktype')
export class ArktypeController extends BaseController {
  private last: unknown = null

  @Post()
  @Body(ArktypeThing)
  @ApiResponseDoc({ status: 201, description: 'The thing', schema: ArktypeThing })
  create(req: Req<{ body: typeof ArktypeThing }>, res: Response) {
    this.last = req.body
    return this.ok(res, 'Created', req.body, 201)
  }

  @Get()
  @Query(ArktypeQuery)
  list(req: Req<{ query: typeof ArktypeQuery }>) {
    return { query: req.query, last: this.last }
  }
}

@Controller('typebox')
export class TypeboxController extends BaseController {
  private last: unknown = null

  @Post()
  @Body(TypeboxThing)
  @ApiResponseDoc({ status: 201, description: 'The thing', schema: TypeboxThing })
  create(req: Req<{ body: typeof TypeboxThing }>, res: Response) {
    this.last = req.body
    return this.ok(res, 'Created', req.body, 201)
  }

  @Get()
  @Query(TypeboxQuery)
  list(req: Req<{ query: typeof TypeboxQuery }>) {
    return { query: req.query, last: this.last }
  }
}

@Controller('json')
export class JsonController extends BaseController {
  private last: unknown = null

  @Post()
  @Body(JsonThing)
  @ApiResponseDoc({ status: 201, description: 'The thing', schema: JsonThing })
  create(req: Req<{ body: typeof JsonThing }>, res: Response) {
    this.last = req.body
    return this.ok(res, 'Created', req.body, 201)
  }

  @Get()
  @Query(JsonQuery)
  list(req: Req<{ query: typeof JsonQuery }>) {
    return { query: req.query, last: this.last }
  }
}
