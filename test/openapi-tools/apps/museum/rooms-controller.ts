import {
  ApiOperation,
  ApiResponseDoc,
  Body,
  Controller,
  Get,
  Post,
  Put,
  type Req,
  type Request,
} from 'blazon'
import { z } from 'zod'
import { Provenance, Room, Shelf } from './museum-schemas.js'

/** Recursive and nullable schemas, in requests and responses; paths with parameters that no schema describes. */
@Controller('rooms')
export class RoomsController {
  @Get(':wing/floors/:floor')
  @ApiResponseDoc({ status: 200, description: 'A room and what is in it', schema: Room })
  onFloor(req: Request<{ wing: string; floor: string }>) {
    const { wing, floor } = req.params
    return { name: wing, rooms: [{ name: floor, rooms: [], parent: null }] }
  }

  @Post()
  @Body(Room)
  @ApiResponseDoc({ status: 200, description: 'The room that was sent', schema: Room })
  build(req: Req<{ body: typeof Room }>) {
    return req.body
  }

  @Put('shelf')
  @Body(Shelf)
  @ApiResponseDoc({ status: 200, description: 'The shelf that was sent', schema: Shelf })
  shelve(req: Req<{ body: typeof Shelf }>) {
    return req.body
  }

  @Post('provenance')
  @Body(Provenance.nullable())
  @ApiOperation({ summary: 'Say where something comes from' })
  @ApiResponseDoc({
    status: 200,
    description: 'What was said',
    schema: z.object({ said: Provenance.nullable() }),
  })
  comesFrom(req: Request) {
    return { said: req.body }
  }
}
