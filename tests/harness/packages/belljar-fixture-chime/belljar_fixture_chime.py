def ring():
    print("py ding")
