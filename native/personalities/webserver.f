# A web server as Filebench defines it: each of 100 threads reads ten files, then appends to one log of all. The log
# begins again at 32 MiB: on a fast device it would fill the file system within the run.
set $nfiles=1000
set $filesize=cvar(type=cvar-gamma,parameters=mean:16384;gamma:1.5)
set $appendsize=16k
set $iosize=1m
set $nthreads=100

define fileset name=pages,size=$filesize,entries=$nfiles,dirwidth=20,prealloc=100,readonly
define fileset name=log,size=$filesize,entries=1,dirwidth=20,prealloc

define flowop name=serve
{
  flowop openfile name=open,filesetname=pages,fd=1
  flowop readwholefile name=read,fd=1,iosize=$iosize
  flowop closefile name=close,fd=1
}

define process name=server
{
  thread name=client,instances=$nthreads
  {
    flowop serve name=serve,iters=10
    flowop appendfilerand name=append-log,filesetname=log,iosize=$appendsize,workingset=32m,fd=2
  }
}

run 60
