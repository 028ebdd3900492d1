import {
  ApiOperation,
  ApiResponseDoc,
  ApiTags,
  Auth,
  BaseController,
  Body,
  Can,
  ConflictError,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  NotFoundError,
  Params,
  Patch,
  Post,
  Public,
  Put,
  Query,
  type Req,
  type Response,
} from 'blazon'
import { z } from 'zod'
import {
  Exhibit,
  ExhibitChanges,
  ExhibitFilter,
  ExhibitId,
  NewExhibit,
  Tracing,
} from './museum-schemas.js'

const Page = z.object({ items: z.array(Exhibit), total: z.int() })

const Replacing = z.object({
  dryRun: z.stringbool().default(false).describe('Whether to keep nothing'),
})

interface ReplaceInputs {
  readonly params: typeof ExhibitId
  readonly query: typeof Replacing
  readonly headers: typeof Tracing
  readonly body: typeof NewExhibit
}

/** Every common method, all four inputs, guard, abilities, and responses of many statuses. */
@Auth()
@ApiTags('Exhibits', 'Collection')
@Controller('exhibits')
export class ExhibitsController extends BaseController {
  private readonly exhibits = new Map<number, z.infer<typeof Exhibit>>()

  @Get()
  @Public()
  @Query(ExhibitFilter)
  @Headers(Tracing)
  @ApiOperation({ summary: 'Find exhibits', description: 'A page of what the museum has.' })
  @ApiResponseDoc({ status: 200, description: 'A page of exhibits', schema: Page })
  list(req: Req<{ query: typeof ExhibitFilter; headers: typeof Tracing }>, res: Response) {
    const { medium, isOnShow, sort } = req.query
    const items = [...this.exhibits.values()]
      .filter((one) => medium === undefined || medium.includes(one.medium))
      .filter((one) => isOnShow === undefined || one.isOnShow === isOnShow)
      .sort((a, b) => a.title.localeCompare(b.title) * (sort === 'title' ? 1 : -1))
    return this.ok(res, 'Exhibits', { items, total: items.length })
  }

  @Get(':id')
  @Params(ExhibitId)
  @ApiResponseDoc({ status: 200, description: 'The exhibit', schema: Exhibit })
  @ApiResponseDoc({ status: 404, description: 'No such exhibit' })
  getById(req: Req<{ params: typeof ExhibitId }>, res: Response) {
    return this.ok(res, 'Exhibit', this.find(req.params.id))
  }

  @Post()
  @Can('exhibits:write')
  @Body(NewExhibit)
  @ApiResponseDoc({ status: 201, description: 'The new exhibit', schema: Exhibit })
  @ApiResponseDoc({ status: 409, description: 'The inventory number is taken' })
  create(req: Req<{ body: typeof NewExhibit }>, res: Response) {
    const all = [...this.exhibits.values()]
    if (all.some(({ inventory }) => inventory === req.body.inventory))
      throw new ConflictError('The inventory number is taken')
    const stored = { ...req.body, id: all.length + 1, acquiredAt: '2030-01-02T03:04:05Z' }
    this.exhibits.set(stored.id, stored)
    return this.ok(res, 'Exhibit created', stored, 201)
  }

  @Put(':id')
  @Can('exhibits:write')
  @Params(ExhibitId)
  @Query(Replacing)
  @Headers(Tracing)
  @Body(NewExhibit)
  @ApiResponseDoc({ status: 200, description: 'The exhibit as it is now', schema: Exhibit })
  @ApiResponseDoc({ status: 404, description: 'No such exhibit' })
  replace(req: Req<ReplaceInputs>, res: Response) {
    const stored = { ...this.find(req.params.id), ...req.body }
    if (!req.query.dryRun) this.exhibits.set(stored.id, stored)
    return this.ok(res, 'Exhibit replaced', stored)
  }

  @Patch(':id')
  @Can('exhibits:write')
  @Params(ExhibitId)
  @Body(ExhibitChanges)
  @ApiResponseDoc({ status: 200, description: 'The exhibit as it is now', schema: Exhibit })
  @ApiResponseDoc({ status: 404, description: 'No such exhibit' })
  change(req: Req<{ params: typeof ExhibitId; body: typeof ExhibitChanges }>, res: Response) {
    const changes = Object.entries(req.body).filter(([, value]) => value !== undefined)
    const stored = { ...this.find(req.params.id), ...Object.fromEntries(changes) }
    this.exhibits.set(stored.id, stored)
    return this.ok(res, 'Exhibit changed', stored)
  }

  @Delete(':id')
  @Can('exhibits:write')
  @HttpCode(204)
  @Params(ExhibitId)
  @ApiResponseDoc({ status: 204, description: 'It is gone' })
  @ApiResponseDoc({ status: 404, description: 'No such exhibit' })
  remove(req: Req<{ params: typeof ExhibitId }>) {
    this.find(req.params.id)
    this.exhibits.delete(req.params.id)
  }

  private find(id: number): z.infer<typeof Exhibit> {
    const exhibit = this.exhibits.get(id)
    if (exhibit === undefined) throw new NotFoundError(`Exhibit ${id} does not exist`)
    return exhibit
  }
}
