# Large files: two of 100 MB and 500 MB, each read and written from begin to end and at random.
define fileset name=large,size=500000000,entries=1,prealloc
define fileset name=medium,size=100000000,entries=1,prealloc

define flowop name=work, $set, $sequential, $random
{
  flowop read name=read-sequential,filesetname=$set,iosize=1m,iters=$sequential
  flowop read name=read-random,filesetname=$set,iosize=4k,random,iters=$random
  flowop openfile name=open,filesetname=$set,fd=1
  flowop write name=write-sequential,filesetname=$set,iosize=1m,fd=1,iters=$sequential
  flowop fsync name=fsync-sequential,fd=1
  flowop write name=write-random,filesetname=$set,iosize=4k,random,fd=1,iters=$random
  flowop fsync name=fsync-random,fd=1
  flowop closefile name=close,fd=1
}

define process name=program
{
  thread name=worker
  {
    flowop work name=on-medium,$set=medium,$sequential=20,$random=500
    flowop work name=on-large,$set=large,$sequential=20,$random=500
  }
}

run 60
