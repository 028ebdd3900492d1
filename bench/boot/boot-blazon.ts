// The API of the boot benchmark as Blazon's users write it: standard decorators, schemas of zod.
import {
  ApiResponseDoc,
  App,
  Body,
  Controller,
  Delete,
  defineControllers,
  Get,
  Patch,
  Post,
  Put,
  type Req,
  type Request,
} from 'blazon'
import { defineBody } from '../boot/bodies.mjs'
import { beginPhase, CONTROLLERS, endPhase } from '../boot/phase.mjs'

const phase = beginPhase()

function defineController(n: number) {
  const [Create, Replace, Change, AddPart, ReplacePart] = Array.from({ length: 5 }, (_, part) =>
    defineBody(n * 5 + part),
  )

  @Controller(`things-${n}`)
  class ThingsController {
    @Get()
    @ApiResponseDoc({ status: 200, description: 'The things' })
    list() {
      return []
    }

    @Get(':id')
    @ApiResponseDoc({ status: 200, description: 'The thing' })
    get(req: Request) {
      return req.params
    }

    @Get(':id/history')
    @ApiResponseDoc({ status: 200, description: 'What happened to the thing' })
    history(req: Request) {
      return req.params
    }

    @Get(':id/parts/:partId')
    @ApiResponseDoc({ status: 200, description: 'The part' })
    getPart(req: Request) {
      return req.params
    }

    @Delete(':id')
    @ApiResponseDoc({ status: 200, description: 'The thing that was' })
    remove(req: Request) {
      return req.params
    }

    @Post()
    @Body(Create)
    @ApiResponseDoc({ status: 200, description: 'The new thing' })
    create(req: Req<{ body: typeof Create }>) {
      return req.body
    }

    @Put(':id')
    @Body(Replace)
    @ApiResponseDoc({ status: 200, description: 'The thing' })
    replace(req: Req<{ body: typeof Replace }>) {
      return req.body
    }

    @Patch(':id')
    @Body(Change)
    @ApiResponseDoc({ status: 200, description: 'The thing' })
    change(req: Req<{ body: typeof Change }>) {
      return req.body
    }

    @Post(':id/parts')
    @Body(AddPart)
    @ApiResponseDoc({ status: 200, description: 'The new part' })
    addPart(req: Req<{ body: typeof AddPart }>) {
      return req.body
    }

    @Put(':id/parts/:partId')
    @Body(ReplacePart)
    @ApiResponseDoc({ status: 200, description: 'The part' })
    replacePart(req: Req<{ body: typeof ReplacePart }>) {
      return req.body
    }
  }
  // What an author would have called it: names of classes are in the operations of the document.
  return Object.defineProperty(ThingsController, 'name', { value: `Things${n}Controller` })
}

const controllers = Array.from({ length: CONTROLLERS }, (_, n) => defineController(n))
const app = new App({ controllers: defineControllers(...controllers) })
const { port } = await app.listen(0, '127.0.0.1')
endPhase(phase, { port, text: JSON.stringify(app.document) })
