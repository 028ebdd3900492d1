import { Controller, Get, HttpCode, Post, type Req } from 'blazon';
import { z } from 'zod';

const SampleNameId = z.object({ id: z.string().max(100) });
const NewSampleName = z.object({ text: z.string().trim().min(1).max(1000) });

@Controller('sample-name')
export class SampleNameController {
  @Get(':id', { params: SampleNameId })
  get({ params }: Req<{ params: typeof SampleNameId }>) {
    return { id: params.id };
  }

  @Post('', { body: NewSampleName })
  @HttpCode(201)
  add({ body }: Req<{ body: typeof NewSampleName }>) {
    return { text: body.text };
  }
}
